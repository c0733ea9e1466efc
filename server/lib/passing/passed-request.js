'use strict'

const { EventEmitter } = require('node:events')
const { Readable } = require('node:stream')

/** The part that handlers ask of a connection that another thread has, and sees to. */
class PassedSocket extends EventEmitter {
  /** The library that serves files takes a request for over where its connection takes nothing more. */
  writable = true

  #cut

  /**
   * @param {any} connection `{ remoteAddress, remotePort, localAddress, localPort, encrypted }`
   * @param {() => void} cut breaks off the request that is under way on it
   */
  constructor ({ remoteAddress, remotePort, localAddress, localPort, encrypted = false }, cut) {
    super()
    this.remoteAddress = remoteAddress
    this.remotePort = remotePort
    this.localAddress = localAddress
    this.localPort = localPort
    this.encrypted = encrypted
    this.#cut = cut
  }

  setNoDelay () { return this }
  setKeepAlive () { return this }
  setTimeout () { return this }
  /** Its thread ends it when the server stops. */
  end () { return this }

  destroy () {
    this.#cut()
    return this
  }
}

/** A request that another thread or server received, as handlers know it from node:http. */
class PassedRequest extends Readable {
  complete = false
  aborted = false
  #pull
  #cut
  #connection
  /** @type {PassedSocket | undefined} */
  #socket

  /**
   * @param {any} head `{ method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, connection, isKnown, extra }`; isKnown: the
   *   passer knows who it is; extra: what the passer has found out, `{ user, forwarded, inShard, merging, originalUrl, baseUrl, internal, passed }`
   * @param {() => void} pull asks for more of the body
   * @param {() => void} cut breaks the request off
   */
  constructor ({ method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, connection, isKnown, extra }, pull, cut) {
    super()
    this.method = method
    this.url = url
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.httpVersionMajor = httpVersionMajor
    this.httpVersionMinor = httpVersionMinor
    this.isKnown = isKnown
    this.#take(extra ?? {})
    this.#connection = connection
    this.#pull = pull
    this.#cut = cut
  }

  /** Takes these and no other: another server may have sent it. @param {any} extra */
  #take ({ user, forwarded, inShard, merging, originalUrl = this.url, baseUrl = '', internal, passed }) {
    /** @type {any} */
    this.user = user
    this.forwarded = forwarded
    this.inShard = inShard
    this.merging = merging
    this.originalUrl = originalUrl
    this.baseUrl = baseUrl
    this.internal = internal
    this.passed = passed
  }

  get httpVersion () { return `${this.httpVersionMajor}.${this.httpVersionMinor}` }

  get socket () {
    this.#socket ??= new PassedSocket(this.#connection, this.#cut)
    return this.#socket
  }

  get connection () { return this.socket }

  /** Each value of a header by itself, as node:http has it. @returns {Record<string, string[]>} */
  get headersDistinct () {
    /** @type {Record<string, string[]>} */
    const distinct = Object.create(null)
    for (let i = 0; i < this.rawHeaders.length; i += 2) (distinct[this.rawHeaders[i].toLowerCase()] ??= []).push(this.rawHeaders[i + 1])
    return distinct
  }

  _read () { if (!this.complete) this.#pull() }

  /** More of the body; null is its end. @param {Buffer | null} chunk */
  receive (chunk) {
    if (chunk === null) this.complete = true
    this.push(chunk)
  }

  /** The client has gone. */
  abort () {
    this.aborted = !this.complete
    this.emit('aborted')
    this.destroy()
  }

  setTimeout () { return this }
}

module.exports = { PassedRequest }
