'use strict'

const { compare } = require('fast-json-patch')
const { attachmentForm } = require('../json/attachment-form')
const { markedOf, parseExact, unmarkText } = require('../json/exact-json')
const { attachmentsOf, bodyOf } = require('../media/record')

/** UTF-16 units of both versions beyond which they are not compared: others wait meanwhile. */
const LARGE = 1024 * 1024

/**
 * Returns what makes one version of another, as JSON text. Large ones are replaced as a whole.
 *
 * @param {string} older payload
 * @param {string} newer payload
 * @returns {string} a JSON Patch of the body, in which `_attachments` are the stubs
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
function patchBetween (older, newer) {
  if (older === newer) return '[]'
  if (older.length + newer.length > LARGE) return replacement(newer)
  try {
    return unmarkText(JSON.stringify(compare(contentsOf(older), contentsOf(newer))))
  } catch (error) {
    // Something is nested very deeply.
    if (!(error instanceof RangeError)) throw error
    return replacement(newer)
  }
}

/** @param {string} payload */
function contentsOf (payload) {
  const contents = markedOf(parseExact(bodyOf(payload)))
  const attachments = attachmentsOf(payload)
  return attachments === '' ? contents : { ...contents, _attachments: stubsOf(attachments) }
}

/** @param {string} attachments JSON text as stored */
function stubsOf (attachments) {
  /** @type {Array<[string, any]>} */
  const infos = Object.entries(JSON.parse(attachments))
  return Object.fromEntries(infos.map(([name, info]) => [name, attachmentForm(info, () => undefined, false)]))
}

/** @param {string} payload */
function replacement (payload) {
  const attachments = attachmentsOf(payload)
  const body = bodyOf(payload)
  const stubs = attachments === '' ? '' : `${body === '{}' ? '' : ','}"_attachments":${JSON.stringify(stubsOf(attachments))}`
  return `[{"op":"replace","path":"","value":${body.slice(0, -1)}${stubs}}}]`
}

module.exports = { patchBetween }
