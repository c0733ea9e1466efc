'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { BodyStall } = require('./body-stall')
const { hungUp } = require('./hung-up')

/**
 * Pulls Buffers from a request's body, one at a time and only when asked, so that what is not
 * wanted yet stays with the client. (An async iterator of the request would destroy the
 * connection when it is left early, and with it the answer that says why.)
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
   * @param {import('node:stream').Readable} [stream] its body, if not itself
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
   * @returns {Promise<Buffer | null>} null at the end
   * @throws bad_request when the client hangs up or the compressed data is broken
   */
  async next () {
    for (;;) {
      const chunk = this.#stream.read()
      if (chunk !== null) return this.#counted(chunk)
      if (this.#error !== null) throw this.#error
      if (this.#ended || this.#stream.readableEnded) return null
      // Only who waits can wait in vain.
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

  /** Everything, as a store takes it. */
  async * [Symbol.asyncIterator] () {
    for (let chunk; (chunk = await this.next()) !== null;) yield chunk
  }

  /** Lets go. The rest is thrown away, so that the client gets to read its answer. */
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
