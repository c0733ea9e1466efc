'use strict'

const zlib = require('node:zlib')
const { Turn } = require('@potoroo/document-store')
const { CLOSING, callbackOf, opening } = require('./jsonp')
const { takeSocket } = require('../transport/taken-socket')

/** Characters that are gathered before they are sent. */
const CHUNK = 64 * 1024

/** Bytes of content that are sent as text. */
const SHORT = 4096

/**
 * Sends a long answer in chunks of about 64 KB, at the pace of the client.
 *
 * Nothing is sent before the first chunk is full, so that an error met until then still gets a
 * status of its own, and a short answer goes out in one piece with its Content-Length.
 */
class ResponseWriter {
  #res
  #headers
  #text = ''
  /** The text that ends a script. */
  #closing = ''
  /** Compresses the body on its way. @type {import('node:zlib').Gzip | undefined} */
  #encoder
  #closed = false
  #turn = new Turn()
  #onClose = () => { this.#closed = true }

  /**
   * @param {import('../dispatch/request').PotorooResponse} res
   * @param {Record<string, string>} [headers]
   * @param {boolean} [isContent] whether it is sent as it is, of whatever type it is
   */
  constructor (res, headers, isContent = false) {
    this.#res = res
    this.#headers = headers
    this.#closed = res.destroyed || res.writableEnded
    if (!isContent && headers?.['Content-Type'] === 'application/javascript') this.#beginScript(callbackOf(res.req))
    res.on('close', this.#onClose)
  }

  /** JSON goes as the argument of the function that the client named. @param {string} callback */
  #beginScript (callback) {
    if (callback === '') return
    this.#text = opening(callback)
    this.#closing = `${CLOSING}\n`
  }

  /**
   * Compresses what will be sent: quickly, as the receiver waits for it.
   * @param {'zstd' | 'gzip' | undefined} encoding undefined: sends it as it is
   */
  compress (encoding) {
    if (encoding === undefined || this.#closed || this.#res.req.method === 'HEAD') return
    const encoder = encoding === 'zstd' ? /** @type {any} */ (zlib).createZstdCompress() : zlib.createGzip({ level: 3 })
    this.#headers = { ...this.#headers, 'Content-Encoding': encoding, Vary: 'Accept-Encoding' }
    this.#encoder = encoder
    encoder.pipe(this.#res)
    // The encoder ends with its client.
    this.#res.on('close', () => encoder.destroy())
  }

  /** Whether the client has gone. */
  get closed () { return this.#closed }

  /** Calls when the client goes, unless it has gone already. @param {() => void} listener */
  onClose (listener) { this.#res.on('close', listener) }
  /** @param {() => void} listener */
  offClose (listener) { this.#res.off('close', listener) }

  /** Breaks the answer off. */
  destroy () { this.#res.destroy() }

  /**
   * Lets the request and the response go, for an answer that goes on for long. From then on
   * neither may be used; whoever handles them is to return.
   * @returns {Promise<boolean>} whether it could be done
   */
  async release () {
    const body = this.#closed || this.#closing !== '' ? null : await takeSocket(this.#res)
    if (body === null) return false
    this.#res = /** @type {any} */ (body)
    body.on('close', this.#onClose)
    this.#closed ||= body.destroyed
    return true
  }

  /** @param {string} text */
  push (text) { this.#text += text }

  /** Whether it is time to `await flush()`. */
  get full () { return this.#text.length >= CHUNK }

  /**
   * Sends what was gathered and waits until the client has room for more, or has gone. A client
   * that is fast is no reason for others to wait.
   */
  async flush () {
    const text = this.#text
    this.#text = ''
    if (text !== '') await this.write(Buffer.from(text))
    await this.pause()
  }

  /** Lets others run, if that has been long ago: where much is done for little text. Sends it when it is time. */
  async pause () {
    if (this.full) return this.flush()
    if (this.#turn.isLong) await this.#turn.end()
  }

  /**
   * Sends bytes, after what was gathered.
   * @param {Uint8Array} bytes
   */
  async write (bytes) {
    if (this.#text !== '') {
      const text = this.#text
      this.#text = ''
      await this.write(Buffer.from(text))
    }
    if (this.#closed || bytes.length === 0 || this.#res.req.method === 'HEAD') return
    this.#writeHead()
    const body = this.#encoder ?? this.#res
    if (!body.write(bytes)) await this.#drained(body)
  }

  /**
   * Sends content as it comes, until the client has gone.
   * @param {AsyncIterable<Uint8Array>} content
   */
  async pipe (content) {
    for await (const chunk of content) {
      if (this.#closed) return
      await this.write(chunk)
    }
  }

  /**
   * Sends content as it is, and ends with it: nothing was written before, and it is neither encoded nor a script. Its last chunk goes with the
   * end, and with the headers if it is the only one.
   * @param {AsyncIterable<Uint8Array>} content
   */
  async finish (content) {
    /** @type {Uint8Array | undefined} */
    let last
    for await (const chunk of content) {
      if (last !== undefined) await this.write(last)
      if (this.#closed) return
      last = chunk
    }
    if (this.#closed) return
    this.#writeHead()
    if (last === undefined) this.#res.end()
    // Node.js sends headers and a text in one piece.
    else if (last.length <= SHORT) this.#res.end(Buffer.from(last.buffer, last.byteOffset, last.length).latin1Slice(), 'latin1')
    else this.#res.end(last)
  }

  /** Room at once, or none: for what may as well be left out, like a heartbeat. @param {string} text */
  offer (text) {
    if (this.#closed || this.#res.writableNeedDrain) return
    this.#writeHead()
    this.#res.write(text)
  }

  end () {
    if (this.#closed) return
    const text = this.#closing === '' ? this.#text : this.#text.replace(/\n$/, '') + this.#closing
    this.#text = ''
    const isHead = this.#res.req.method === 'HEAD'
    this.#writeHead(isHead || this.#encoder !== undefined ? undefined : text)
    const body = this.#encoder ?? this.#res
    body.end(isHead ? undefined : text)
  }

  /** @param {string} [whole] the body, where it is known to its end */
  #writeHead (whole) {
    const res = this.#res
    if (res.headersSent) return
    const list = []
    for (const name in this.#headers) list.push(name, this.#headers[name])
    if (whole !== undefined && !res.hasHeader('content-length') && this.#headers?.['Content-Length'] === undefined) {
      list.push('Content-Length', String(Buffer.byteLength(whole)))
    }
    res.writeHead(res.statusCode, list)
  }

  /** @param {import('node:stream').Writable} body */
  #drained (body) {
    return /** @type {Promise<void>} */ (new Promise(resolve => {
      const done = () => {
        body.off('drain', done)
        body.off('close', done)
        resolve()
      }
      body.on('drain', done)
      body.on('close', done)
    }))
  }
}

module.exports = { ResponseWriter }
