'use strict'

const { attachmentsOf, bodyOf } = require('../media/record')

/**
 * Says what is wrong with a stored revision's attachments and body, and counts its digests.
 *
 * @param {{ references: Map<string, number>, damage: import('./damage').Damage }} scan
 * @param {string} what the revision
 * @param {string} payload
 */
function * checkPayload (scan, what, payload) {
  if (!isObject(bodyOf(payload))) yield `The body of ${what} is not a JSON object`
  const text = attachmentsOf(payload)
  if (text === '') return
  if (!isObject(text)) {
    yield `The attachments of ${what} are not a JSON object`
    return
  }
  for (const [name, { digest }] of Object.entries(JSON.parse(text))) {
    if (scan.damage.digests.has(digest)) yield `The attachment ${JSON.stringify(name)} of ${what} is damaged`
  }
  for (const digest of digestsOf(text)) scan.references.set(digest, (scan.references.get(digest) ?? 0) + 1)
}

/** @param {string} text */
function digestsOf (text) {
  return new Set(Object.values(JSON.parse(text)).map((info) => info.digest))
}

/** @param {string} text */
function isObject (text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** @param {string} text */
function isJson (text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

module.exports = { checkPayload, isJson, isObject }
