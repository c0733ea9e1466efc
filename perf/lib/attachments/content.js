'use strict'

const crypto = require('node:crypto')

const PART = 64 * 1024

/** Gives that many bytes that nothing can compress, in parts as a file or a socket gives them. */
async function * content (bytes) {
  const seed = crypto.randomBytes(PART)
  for (let at = 0; at < bytes; at += PART) {
    const part = Buffer.from(seed.subarray(0, Math.min(PART, bytes - at)))
    for (let word = 0; word + 8 <= part.length; word += 512) part.writeDoubleLE(at + word / PART, word)
    yield part
  }
}

/** Reads to the end; throws where it is not as long as it should be. */
async function consume (stream, bytes) {
  let length = 0
  for await (const part of stream) length += part.length
  if (length !== bytes) throw new Error(`${length} bytes instead of ${bytes}`)
}

module.exports = { content, consume }
