'use strict'

const crypto = require('node:crypto')
const { Readable, pipeline } = require('node:stream')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const { checkAnnounced, checkLength, letGo } = require('./announced-stream')
const { digestOf } = require('./attachment-input')
const { checkGzip } = require('./check-gzip')
const { bytesOf } = require('./chunks')
const { Turn } = require('../json/turn')

/**
 * @import { AttachmentInput } from './attachment-input'
 */

const gzip = promisify(zlib.gzip)

/** Bytes that are compressed at once, which takes up to some 50 µs: to hand them to another thread costs twice as much. */
const LITTLE = 16 * 1024

/**
 * Compresses the attachments of some edits whose type is one to compress (see StoreOptions), before
 * they are stored: small content here, streamed content while it is read. Content that comes compressed
 * stays as it is, and is looked at. Digests are those of the stored bytes, as CouchDB's are.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../commit/validate').Edit[]} edits
 */
async function encodeAttachments (core, edits) {
  const turn = new Turn()
  for (const { attachments } of edits) {
    for (const input of attachments ?? []) {
      if (turn.isLong) await turn.end()
      if (input.stub) continue
      if (input.encoding !== null) await checkGzip(input)
      else await encode(input, core.options.compressionLevel?.(/** @type {string} */ (input.contentType)) ?? 0)
    }
  }
}

/** @param {AttachmentInput} input @param {number} level */
async function encode (input, level) {
  if (level === 0) return
  if (input.source === null) await encodeData(input, level)
  else input.source = new EncodedSource(input, level)
  input.encoding = 'gzip'
}

/** @param {AttachmentInput} input @param {number} level */
async function encodeData (input, level) {
  const plain = /** @type {Buffer} */ (input.data)
  const encoded = plain.length <= LITTLE ? zlib.gzipSync(plain, { level }) : await gzip(plain, { level })
  input.plainLength = plain.length
  input.data = encoded
  input.length = encoded.length
  input.digest = digestOf(encoded)
}

/** Streamed content, compressed. Its announcement is compared with what comes in. */
class EncodedSource {
  #input
  #source
  #level
  #announced

  /**
   * @param {import('./attachment-input').AttachmentInput} input
   * @param {number} level 1 to 9
   */
  constructor (input, level) {
    this.#input = input
    this.#source = /** @type {import('./announced-stream').Source} */ (input.source)
    this.#level = level
    this.#announced = { name: input.name, length: input.length, digest: input.digest }
    input.length = input.digest = null
  }

  async * [Symbol.asyncIterator] () {
    const plain = this.#plain()
    try {
      const { bytes, isAll } = await beginningOf(plain)
      if (isAll) yield zlib.gzipSync(bytes, { level: this.#level })
      else yield * this.#encoded(bytes, plain)
    } finally {
      await plain.return()
    }
  }

  /** @param {Buffer} beginning @param {AsyncIterable<Uint8Array>} rest */
  #encoded (beginning, rest) {
    const encoder = zlib.createGzip({ level: this.#level })
    // The reader meets errors on the way.
    pipeline(Readable.from(followed(beginning, rest)), encoder, () => {})
    return encoder
  }

  /** The announcement of the source: see uploads.js. */
  arriving () { return this.#source.arriving?.() }

  /** @returns {AsyncGenerator<Uint8Array, void>} */
  async * #plain () {
    const hash = this.#announced.digest === null ? null : crypto.createHash('md5')
    let length = 0
    for await (const part of this.#source) {
      const chunk = bytesOf(part)
      hash?.update(chunk)
      length += chunk.length
      checkLength(this.#announced, length)
      yield chunk
    }
    checkAnnounced(this.#announced, length, hash === null ? '' : 'md5-' + hash.digest('base64'))
    this.#input.plainLength = length
  }

  /** Lets go of the source: nobody will read it. */
  destroy () { letGo(this.#source) }
}

/**
 * Reads what is compressed at once, and a chunk more where that is not all.
 *
 * @param {AsyncIterator<Uint8Array>} chunks
 */
async function beginningOf (chunks) {
  const read = []
  let length = 0
  while (length <= LITTLE) {
    const { done, value } = await chunks.next()
    if (done === true) return { bytes: Buffer.concat(read, length), isAll: true }
    read.push(value)
    length += value.length
  }
  return { bytes: Buffer.concat(read, length), isAll: false }
}

/** @param {Uint8Array} first @param {AsyncIterable<Uint8Array>} rest */
async function * followed (first, rest) {
  yield first
  yield * rest
}

module.exports = { encodeAttachments }
