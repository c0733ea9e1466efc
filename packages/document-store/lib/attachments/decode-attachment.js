'use strict'

const { Readable, pipeline } = require('node:stream')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const { CouchError, createError } = require('@potoroo/errors')
const { PlainContents } = require('./plain-contents')

const gunzip = promisify(zlib.gunzip)

/** Bytes of content that is given in one piece at most: what was stored compressed may be far longer than it looks. */
const MOST = 1024 * 1024 * 1024

/** Bytes of content that is decoded while others wait. */
const SMALL = 64 * 1024

/** Serves all databases of this thread. */
const plainContents = new PlainContents()

/**
 * Decodes compressed content, however long, a chunk in memory at a time.
 *
 * @param {string} name of the content
 * @param {Buffer | AsyncIterable<Buffer>} encoded a Buffer: one that may be decoded at once, if it becomes no more than `SMALL`
 * @param {number} [start] bytes
 * @param {number} [end] exclusive
 */
async function * decodeStream (name, encoded, start = 0, end = Infinity) {
  const small = encoded instanceof Buffer ? decodeSmall(name, encoded) : null
  if (small !== null) {
    // A copy, as its reader may change it.
    if (start < Math.min(end, small.length)) yield Buffer.from(small.subarray(Math.max(0, start), end))
    return
  }
  const decoder = zlib.createGunzip()
  pipeline(Readable.from(encoded), decoder, () => {})
  let at = 0
  try {
    for await (const chunk of decoder) {
      const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
      at += chunk.length
      if (part.length > 0) yield part
      if (at >= end) return
    }
  } catch (error) {
    throw notGzip(error)
  }
}

/**
 * Decodes a part of compressed content, or all of it, in one piece.
 *
 * @param {string} name of the content
 * @param {Buffer | AsyncIterable<Buffer>} encoded
 * @param {number} [start]
 * @param {number} [end]
 */
async function decodePart (name, encoded, start, end) {
  const parts = []
  let length = 0
  for await (const part of decodeStream(name, encoded, start, end)) {
    length += part.length
    if (length > MOST) throw tooLong()
    parts.push(part)
  }
  return Buffer.concat(parts, length)
}

/**
 * Decodes what is in memory already. Content that is no gzip, which older versions took as such, is
 * given as it is: one document's must not keep those beside it from their readers.
 *
 * @param {Buffer} encoded
 * @param {number} [limit] bytes
 * @returns {Promise<Buffer>} throws TOO_LARGE where it is longer
 */
async function decodeBuffer (encoded, limit = MOST) {
  try {
    return await gunzip(encoded, { maxOutputLength: Math.max(1, Math.min(limit, MOST)) })
  } catch (error) {
    if (error.code === 'ERR_BUFFER_TOO_LARGE' || encoded.length > limit) throw tooLong()
    return encoded
  }
}

/**
 * Decodes little content at once: a stream costs many times as much.
 *
 * @param {string} name of the content
 * @param {Buffer} encoded
 * @returns {Buffer | null} null for what is long, or no gzip
 */
function decodeSmall (name, encoded) {
  const known = plainContents.get(name)
  if (known !== undefined) return known
  try {
    const plain = zlib.gunzipSync(encoded, { maxOutputLength: SMALL })
    plainContents.add(name, plain)
    return plain
  } catch {
    return null
  }
}

function tooLong () {
  return createError('TOO_LARGE', { reason: 'An attachment is too long to be read in one piece: ask for it alone' })
}

/**
 * Returns the error of content that was sent as gzip, and was not looked into.
 *
 * @param {unknown} cause
 */
function notGzip (cause) {
  if (cause instanceof CouchError) return cause
  return createError('NOT_ACCEPTABLE', { reason: 'The attachment is not the gzip that it was sent as: ask for it with Accept-Encoding: gzip', cause })
}

module.exports = { decodeStream, decodePart, decodeBuffer }
