'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { BodyStall } = require('./body-stall')
const { hungUp } = require('./hung-up')

/**
 * Reads the body of a request, one Buffer at a time and only when it is asked for the next: a client cannot send faster than
 * its body is used. An async iterator of the request itself would destroy the connection if its loop ended early, and the
 * client would not get the answer.
 */
class ByteSource {
  #stream
  #req
  #ended = false
  /** @type {Error | null} */
  #error = null
  #length = 0
  #limit
  /** @type {(() => void) | null} */
  #wake = null
  #stall
  #onReadable = () => this.#signal()
  #onEnd = () => { this.#ended = true; this.#signal() }
  /** @type {(error?: Error) => void} */
  #onFailure = error => { this.#error ??= error instanceof CouchError ? error : hungUp(error); this.#signal() }
  #onClose = () => { if (!this.#req.complete) this.#onFailure() }

  /**
   * @param {import('../dispatch/request').PotorooRequest} req
   * @param {import('node:stream').Readable} [stream] the body if it is not `req`, as when it is decompressed
   */
  constructor (req, stream = req) {
    this.#req = req
    this.#stall = new BodyStall(req, this.#onFailure)
    this.#stream = stream
    this.#limit = req.service?.requestLimit ?? Infinity
    stream.on('readable', this.#onReadable)
    stream.on('end', this.#onEnd)
    stream.on('error', this.#onFailure)
    req.on('close', this.#onClose)
    if (req.destroyed && !req.complete) this.#onFailure()
  }

  /**
   * Resolves to the next bytes.
   *
   * @returns {Promise<Buffer | null>} null at the end
   * @throws bad_request when the client hangs up or the compressed data is broken
   */
  async next () {
    for (;;) {
      const chunk = this.#stream.read()
      if (chunk !== null) return this.#counted(chunk)
      if (this.#error !== null) throw this.#error
      if (this.#ended || this.#stream.readableEnded) return null
      // The time-out runs only while bytes are waited for.
      this.#stall.moved()
      await /** @type {Promise<void>} */ (new Promise(resolve => { this.#wake = resolve }))
      this.#stall.pause()
    }
  }

  /** @param {Buffer} chunk @throws too_large above `[chttpd] max_http_request_size` */
  #counted (chunk) {
    this.#length += chunk.length
    if (this.#length > this.#limit) throw createError('TOO_LARGE')
    return chunk
  }

  /** Iterates over the rest of the body: a store takes content in this form. */
  async * [Symbol.asyncIterator] () {
    for (let chunk; (chunk = await this.next()) !== null;) yield chunk
  }

  /** Ends reading. The rest is received without use, so that the client gets to read its answer. */
  release () {
    const stream = this.#stream
    this.#stall.end()
    stream.off('readable', this.#onReadable)
    stream.off('end', this.#onEnd)
    this.#req.off('close', this.#onClose)
    // The listener for errors stays: an error that nobody listens for ends the process.
    if (stream !== this.#req) {
      this.#req.unpipe(/** @type {any} */ (stream))
      stream.destroy()
    }
    if (!this.#req.complete && !this.#req.destroyed) this.#req.resume()
  }

  #signal () {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }
}

module.exports = { ByteSource }
