'use strict'

const crypto = require('node:crypto')
const { Readable, pipeline } = require('node:stream')
const { promisify } = require('node:util')
const zlib = require('node:zlib')
const { checkAnnounced, checkLength, letGo } = require('./announced-stream')
const { digestOf } = require('./attachment-input')
const { checkGzip } = require('./check-gzip')
const { Turn } = require('../json/turn')

/**
 * @import { AttachmentInput } from './attachment-input'
 */

const gzip = promisify(zlib.gzip)

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
  const encoded = await gzip(plain, { level })
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
    const encoder = zlib.createGzip({ level: this.#level })
    // The reader meets errors on the way.
    pipeline(Readable.from(this.#plain()), encoder, () => {})
    yield * encoder
  }

  /** The announcement of the source: see uploads.js. */
  arriving () { return this.#source.arriving?.() }

  async * #plain () {
    const hash = crypto.createHash('md5')
    let length = 0
    for await (const chunk of this.#source) {
      hash.update(chunk)
      length += chunk.length
      checkLength(this.#announced, length)
      yield chunk
    }
    checkAnnounced(this.#announced, length, 'md5-' + hash.digest('base64'))
    this.#input.plainLength = length
  }

  /** Lets go of the source: nobody will read it. */
  destroy () { letGo(this.#source) }
}

module.exports = { encodeAttachments }
