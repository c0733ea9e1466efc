'use strict'

const { createError } = require('@potoroo/errors')
const { Bytes } = require('./bytes')
const { toStream } = require('./content')

/** The same as @potoroo/document-store, lib/attachments/decode-attachment.js, by the page's own DecompressionStream. */

/** Bytes of content that is given in one piece at most. */
const MOST = 1024 * 1024 * 1024

/**
 * @param {string} name of the content, by which nothing is remembered here
 * @param {Uint8Array | AsyncIterable<Uint8Array>} encoded
 * @param {number} [start] bytes
 * @param {number} [end] exclusive
 */
async function * decodeStream (name, encoded, start = 0, end = Infinity) {
  let at = 0
  try {
    for await (const piece of pieces(encoded)) {
      const chunk = Bytes.from(piece.buffer, piece.byteOffset, piece.length)
      const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
      at += chunk.length
      if (part.length > 0) yield part
      if (at >= end) return
    }
  } catch (error) {
    if (error.name === 'CouchError') throw error
    throw createError('NOT_ACCEPTABLE', { reason: 'The attachment is not the gzip that it was sent as', cause: error })
  }
}

/** @param {Uint8Array | AsyncIterable<Uint8Array>} encoded */
async function * pieces (encoded) {
  const stored = encoded instanceof Uint8Array ? new Blob([encoded]).stream() : toStream(encoded, {})
  const reader = stored.pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** @param {string} name @param {Uint8Array | AsyncIterable<Uint8Array>} encoded @param {number} [start] @param {number} [end] @param {number} [most] */
async function decodePart (name, encoded, start, end, most = MOST) {
  const parts = []
  let length = 0
  for await (const part of decodeStream(name, encoded, start, end)) {
    length += part.length
    if (length > most) throw createError('TOO_LARGE', { reason: 'An attachment is too long to be read in one piece: ask for it alone' })
    parts.push(part)
  }
  return Bytes.concat(parts, length)
}

/** @param {Uint8Array} encoded @param {number} [limit] bytes */
async function decodeBuffer (encoded, limit = MOST) {
  try {
    return await decodePart('', once(encoded), 0, Infinity, limit)
  } catch (error) {
    if (error.code === 'TOO_LARGE') throw error
    return encoded
  }
}

/** @param {Uint8Array} bytes */
async function * once (bytes) { yield bytes }

module.exports = { decodeStream, decodePart, decodeBuffer }
