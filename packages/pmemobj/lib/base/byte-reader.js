'use strict'

const { addAbortSignal, Readable } = require('node:stream')

/** Takes a stream of bytes apart: as many as are asked for, or up to a given byte. */
class ByteReader {
  #source
  #chunks
  /** @type {Buffer} what was read and not taken */
  #rest = Buffer.alloc(0)
  #ended = false
  #count = 0

  /**
   * @param {unknown} source a stream of Node.js or of the web, or anything else that gives
   *   Uint8Arrays asynchronously
   * @param {AbortSignal} [signal]
   */
  constructor (source, signal) {
    this.#source = toReadable(source)
    if (signal !== undefined) addAbortSignal(signal, this.#source)
    this.#chunks = this.#source[Symbol.asyncIterator]()
  }

  /** Bytes that were taken. */
  get count () { return this.#count }

  /**
   * @param {number} size at least 1
   * @returns {Promise<Buffer>} fewer bytes at the end of the stream, and none behind it
   */
  async read (size) {
    if (this.#rest.length < size) await this.#gather(size)
    return this.#take(Math.min(size, this.#rest.length))
  }

  /**
   * @param {number} size at least 1
   * @returns {Promise<Buffer>} what read() will give
   */
  async peek (size) {
    if (this.#rest.length < size) await this.#gather(size)
    return this.#rest.subarray(0, size)
  }

  /**
   * Reads until there are `size` bytes, or the stream ends.
   *
   * @param {number} size
   */
  async #gather (size) {
    const parts = [this.#rest]
    let length = this.#rest.length
    while (length < size && await this.#more()) {
      parts.push(this.#rest)
      length += this.#rest.length
    }
    this.#rest = parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }

  /**
   * @param {number} byte
   * @returns {Buffer | undefined} up to the byte and with it; undefined where it is not there yet
   */
  takeUntil (byte) {
    const at = this.#rest.indexOf(byte)
    return at === -1 ? undefined : this.#take(at + 1)
  }

  /**
   * The same, but it reads on: until there are at least `most` bytes, or the stream ends.
   *
   * @param {number} byte
   * @param {number} most
   */
  async line (byte, most) {
    const parts = []
    let length = 0
    do {
      const part = this.takeUntil(byte)
      parts.push(part ?? this.#take(this.#rest.length))
      if (part !== undefined) break
      length += parts[parts.length - 1].length
    } while (length < most && await this.#more())
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }

  /**
   * Reads another chunk in the place of what is there.
   *
   * @returns {Promise<boolean>} false at the end of the stream
   */
  async #more () {
    this.#rest = Buffer.alloc(0)
    while (!this.#ended && this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      this.#ended = Boolean(done)
      if (!done) this.#rest = toBuffer(value)
    }
    return !this.#ended
  }

  /** @param {number} size */
  #take (size) {
    const taken = this.#rest.subarray(0, size)
    this.#rest = this.#rest.subarray(size)
    this.#count += size
    return taken
  }

  /** The stream is of no use any more. */
  close () {
    this.#source.destroy()
  }
}

/** @param {unknown} source */
function toReadable (source) {
  if (source instanceof Readable) return source
  const iterable = typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source)
  if (iterable && !(source instanceof Uint8Array)) return Readable.from(/** @type {AsyncIterable<unknown>} */ (source))
  throw new TypeError('The source must be a readable stream')
}

/** @param {unknown} chunk */
function toBuffer (chunk) {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  throw new TypeError('The stream must give Buffers or Uint8Arrays')
}

module.exports = { ByteReader }
