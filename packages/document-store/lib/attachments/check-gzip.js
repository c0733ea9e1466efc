'use strict'

const zlib = require('node:zlib')
const { letGo } = require('./announced-stream')

/** Bytes of decoded content up to which it is looked at: nobody reads more than that in one piece. */
const MOST = 1024 * 1024 * 1024

/** Bytes that are decoded at a time, and forgotten. */
const PIECE = 64 * 1024

const NOTHING = Buffer.alloc(0)

/**
 * Makes sure that an attachment that was sent as gzip can be read: content that is no whole gzip is
 * stored as plain content, whose digest is the same. How long gzip is decoded is what was found, whatever
 * its sender said.
 *
 * @param {import('./attachment-input').AttachmentInput} input
 */
async function checkGzip (input) {
  if (input.source !== null) {
    input.source = new CheckedSource(input)
    return
  }
  const check = new GzipCheck()
  await check.write(input.data ?? NOTHING)
  settle(input, await check.end())
}

/**
 * @param {import('./attachment-input').AttachmentInput} input
 * @param {Verdict} verdict
 */
function settle (input, { isGzip, length }) {
  if (!isGzip) input.encoding = input.plainLength = null
  else if (input.plainLength !== null && length !== null) input.plainLength = length
}

/** Streamed content that is looked at while it is read. */
class CheckedSource {
  #input
  #source

  /** @param {import('./attachment-input').AttachmentInput} input */
  constructor (input) {
    this.#input = input
    this.#source = /** @type {import('./announced-stream').Source} */ (input.source)
  }

  async * [Symbol.asyncIterator] () {
    const check = new GzipCheck()
    try {
      for await (const chunk of this.#source) {
        await check.write(chunk)
        yield chunk
      }
      settle(this.#input, await check.end())
    } finally {
      check.destroy()
    }
  }

  /** The announcement of the source: see uploads.js. */
  arriving () { return this.#source.arriving?.() }

  /** Lets go of the source: nobody will read it. */
  destroy () { letGo(this.#source) }
}

/** @typedef {{ isGzip: boolean, length: number | null }} Verdict length decoded; null if that was not counted to its end */

/** Decodes gzip and keeps nothing of it. */
class GzipCheck {
  #decoder = zlib.createGunzip({ chunkSize: PIECE })
  #isEmpty = true
  #length = 0
  #isLong = false
  #isWhole = false
  #closed

  constructor () {
    this.#closed = new Promise(resolve => this.#decoder.once('close', resolve))
    this.#decoder.on('error', () => {})
    this.#decoder.on('end', () => { this.#isWhole = true })
    this.#decoder.on('data', piece => this.#count(piece.length))
  }

  /** @param {number} length */
  #count (length) {
    this.#length += length
    this.#isLong = this.#length > MOST
    if (this.#isLong) this.#decoder.destroy()
  }

  /**
   * Ends when all of the chunk is decoded, or needs no decoding.
   *
   * @param {unknown} chunk
   */
  async write (chunk) {
    if (!(chunk instanceof Uint8Array) || chunk.length === 0) return
    this.#isEmpty = false
    if (this.#decoder.destroyed) return
    await Promise.race([this.#closed, new Promise(resolve => this.#decoder.write(chunk, () => resolve(undefined)))])
  }

  /** @returns {Promise<Verdict>} */
  async end () {
    this.#decoder.end()
    await this.#closed
    return { isGzip: (this.#isWhole || this.#isLong) && !this.#isEmpty, length: this.#isLong ? null : this.#length }
  }

  destroy () { this.#decoder.destroy() }
}

module.exports = { checkGzip }
