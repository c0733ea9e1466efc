'use strict'

const { attachmentForm } = require('../json/attachment-form')
const { readAttachments, shownText } = require('../large-json/attachments')
const { markedOf, parseExact, unmarkText } = require('../json/exact-json')
const { attachmentsOf, bodyOf } = require('../media/record')
const { compare } = require('./compare')

/** UTF-16 units of both versions beyond which they are not compared: others wait meanwhile. */
const LARGE = 256 * 1024

/** UTF-16 units that a patch of small versions may have. */
const SMALL = 4096

/**
 * Returns what makes one version of another, as JSON text. Large ones are replaced as a whole, and so are those whose
 * patch would be longer than both.
 *
 * @param {string} older payload
 * @param {string} newer payload
 * @returns {string | Promise<string>} a JSON Patch of the body, in which `_attachments` are the stubs
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
function patchBetween (older, newer) {
  if (older === newer) return '[]'
  if (older.length + newer.length > LARGE) return replacement(newer)
  try {
    const most = Math.max(SMALL, older.length + newer.length)
    return unmarkText(compare(contentsOf(older), contentsOf(newer), most))
  } catch (error) {
    // Something is nested very deeply, or differs too much.
    if (!(error instanceof RangeError)) throw error
    return replacement(newer)
  }
}

/** @param {string} payload */
function contentsOf (payload) {
  const contents = markedOf(parseExact(bodyOf(payload)))
  const attachments = attachmentsOf(payload)
  return attachments === '' ? contents : { ...contents, _attachments: stubsOf(JSON.parse(attachments)) }
}

/** @param {Record<string, any>} attachments as stored */
function stubsOf (attachments) {
  return Object.fromEntries(Object.entries(attachments).map(([name, info]) => [name, attachmentForm(info, () => undefined, false)]))
}

/** @param {string} payload */
async function replacement (payload) {
  const attachments = await readAttachments(attachmentsOf(payload))
  const body = bodyOf(payload)
  const stubs = attachments === null ? '' : `${body === '{}' ? '' : ','}"_attachments":${shownText(attachments, false) ?? JSON.stringify(stubsOf(attachments))}`
  return `[{"op":"replace","path":"","value":${body.slice(0, -1)}${stubs}}}]`
}

module.exports = { patchBetween }
