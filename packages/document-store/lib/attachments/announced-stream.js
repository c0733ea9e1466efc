'use strict'

const { createError } = require('@potoroo/errors')

/**
 * The announcement of a stream of which the content is yet to come.
 * @typedef {{ name: string, length: number | null, digest: string | null }} Announced
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

function lengthMismatch ({ name }) {
  return createError('BAD_REQUEST', { reason: `Attachment ${name} does not have the length that was announced` })
}

/** Destroys a stream that nobody will read: it may hold a file or a connection. */
function letGo (source) {
  if (source === null) return
  if (typeof source.destroy === 'function') source.destroy()
  else if (typeof source.cancel === 'function' && !source.locked) source.cancel().catch(() => {})
}

module.exports = { checkLength, checkAnnounced, letGo }
