'use strict'

const { badRequest } = require('@potoroo/errors')

/**
 * Cuts what arrives into chunks of one size, the last one smaller.
 *
 * @param {AsyncIterable<Uint8Array>} source
 * @param {number} size bytes
 * @param {boolean} fresh whether each chunk needs memory of its own; else a chunk is overwritten
 *   by the next but one
 */
async function * chunksOf (source, size, fresh) {
  const memory = new ChunkMemory(size, fresh)
  /** @type {Buffer[]} */
  let parts = []
  let length = 0
  for await (const part of source) {
    let bytes = bytesOf(part)
    while (length + bytes.length >= size) {
      parts.push(bytes.subarray(0, size - length))
      bytes = bytes.subarray(size - length)
      yield memory.join(parts)
      parts = []
      length = 0
    }
    if (bytes.length > 0) parts.push(bytes)
    length += bytes.length
  }
  if (length > 0) yield Buffer.concat(parts, length)
}

/** @param {unknown} part */
function bytesOf (part) {
  if (part instanceof Uint8Array) return Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  throw badRequest('An attachment\'s stream must give bytes')
}

/** Two buffers that take turns: memory that is allocated for each chunk piles up until it is collected. */
class ChunkMemory {
  #size
  #fresh
  /** @type {Buffer | null} */
  #current = null
  /** @type {Buffer | null} */
  #other = null

  /** @param {number} size @param {boolean} fresh */
  constructor (size, fresh) {
    this.#size = size
    this.#fresh = fresh
  }

  /** @param {Buffer[]} parts as long as one chunk */
  join (parts) {
    const next = this.#fresh ? null : this.#other
    this.#other = this.#current
    this.#current = next ?? Buffer.allocUnsafeSlow(this.#size)
    let at = 0
    for (const part of parts) at += part.copy(this.#current, at)
    return this.#current
  }
}

module.exports = { bytesOf, chunksOf }
