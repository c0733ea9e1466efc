'use strict'

const { badRequest, createError } = require('@potoroo/errors')

/**
 * A stream that is yet to come.
 *
 * @typedef {{ name: string, length: number | null, digest: string | null }} Announced
 *
 * @typedef {AsyncIterable<Uint8Array> & StreamVerbs} Source
 * @typedef {object} StreamVerbs verbs that some streams have
 * @property {() => unknown} [destroy] Node.js's
 * @property {() => Promise<void>} [cancel] the Web's
 * @property {boolean} [locked] the Web's: whether somebody reads it
 * @property {() => Promise<string | undefined> | undefined} [arriving] the name of the attachment whose content comes
 *   next over the same connection
 */

/**
 * @param {Announced} announced
 * @param {number} length bytes so far
 * @throws BAD_REQUEST where it is more than was announced
 */
function checkLength (announced, length) {
  if (announced.length !== null && length > announced.length) throw lengthMismatch(announced)
}

/**
 * @param {Announced} announced
 * @param {number} length bytes
 * @param {string} digest
 * @throws BAD_REQUEST, CONTENT_MD5_MISMATCH unless what came is what was announced
 */
function checkAnnounced (announced, length, digest) {
  if (announced.length !== null && announced.length !== length) throw lengthMismatch(announced)
  if (announced.digest?.startsWith('md5-') && announced.digest !== digest) throw createError('CONTENT_MD5_MISMATCH')
}

/** @param {Announced} announced */
function lengthMismatch ({ name }) {
  return badRequest(`Attachment ${name} does not have the length that was announced`)
}

/**
 * Destroys a stream that nobody will read: it may hold a file or a connection.
 *
 * @param {Source | null} source
 */
function letGo (source) {
  if (source === null) return
  if (typeof source.destroy === 'function') source.destroy()
  else if (typeof source.cancel === 'function' && !source.locked) source.cancel().catch(() => {})
}

module.exports = { checkLength, checkAnnounced, letGo }
