'use strict'

const { setMaxListeners } = require('node:events')
const { createError } = require('@potoroo/errors')
const { sendError } = require('../http/response')
const { CURRENT, WATCHED } = require('./current')
const { watchHalfClosed } = require('./half-closed')
const { PausedListening } = require('./paused-listening')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** A connection above the limit: what it asks is answered 503, unless others have gone by then. */
const SURPLUS = Symbol('surplus connection')

/** Headers of a request, as in CouchDB. Node leaves headers out of a longer list, which may be those that matter. */
const MOST_HEADERS = 1000

const REQUEST_TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/**
 * The connections of a process, over all its listeners: how many there are, which of them stand
 * still, and the end of all of them.
 */
class Connections {
  #settings
  /** @type {Set<any>} */
  #open = new Set()
  /** Connections with TLS, above sockets of `#open`. @type {Set<any>} */
  #secure = new Set()
  /** @type {Set<import('node:http2').Http2Session>} */
  #sessions = new Set()
  #slow
  /** The servers that accept connections. @type {Set<any>} */
  #servers = new Set()
  /** The same while there is room for none. @type {PausedListening[]} */
  #paused = []
  #closing = new AbortController()

  /** @param {import('./http-settings').TransportSettings} settings */
  constructor (settings) {
    this.#settings = settings
    // Every WebSocket listens.
    setMaxListeners(0, this.#closing.signal)
    this.#slow = settings.stallTimeout > 0 ? setInterval(() => afterReading(() => this.#cutSlow()), settings.stallTimeout).unref() : undefined
  }

  /** Watches what a server accepts. @param {any} server of node:http, or of node:http2 with HTTP/1.1 */
  watch (server) {
    const { maxConnections, surplus, stallTimeout } = this.#settings
    server[WATCHED] = true
    const { closeIdleConnections } = server
    server.closeIdleConnections = () => this.#sparingAnswers(() => closeIdleConnections.call(server))
    // Connections that cannot wait are closed without a word.
    server.maxConnections = maxConnections + surplus
    server.on('listening', () => this.#servers.add(server))
    server.on('close', () => this.#servers.delete(server))
    server.on('connection', (/** @type {any} */ socket) => this.#add(server, socket))
    server.on('secureConnection', (/** @type {any} */ socket) => this.#addSecure(socket))
    server.setTimeout(stallTimeout, (/** @type {any} */ silent) => {
      const { bytesRead } = silent
      afterReading(() => silent.bytesRead === bytesRead ? onSilence(silent, stallTimeout) : silent.setTimeout(stallTimeout))
    })
    server.on('session', (/** @type {any} */ session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
      watchStreams(session, stallTimeout)
      if (this.#closing.signal.aborted) session.close()
    })
  }

  /** @param {any} server @param {any} socket */
  #add (server, socket) {
    const open = this.#open
    open.add(socket)
    watchHalfClosed(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (this.#paused.length > 0 && !this.#isFull) this.#resume()
    })
    if (open.size <= this.#settings.maxConnections) return
    // A connection that is idle makes room for one that is not.
    server.closeIdleConnections()
    socket[SURPLUS] = true
    if (this.#isFull) this.#pause()
  }

  get #isFull () { return this.#open.size >= this.#settings.maxConnections + this.#settings.surplus }

  #pause () {
    for (const server of this.#servers) {
      if (!server.listening || this.#paused.some(paused => paused.isOf(server))) continue
      const paused = PausedListening.begin(server)
      if (paused !== null) this.#paused.push(paused)
    }
  }

  #resume () {
    for (const paused of this.#paused.splice(0)) paused.resume(this.#settings.backlog)
  }

  /** Takes the connection that requests over TLS come on; the socket beneath it was counted. @param {any} socket */
  #addSecure (socket) {
    const secure = this.#secure
    secure.add(socket)
    socket.once('close', () => secure.delete(socket))
    if (this.#open.size > this.#settings.maxConnections) socket[SURPLUS] = true
  }

  /**
   * Puts the limits of a request's head before an app.
   * @param {(req: any, res: any) => void} app
   * @returns {(req: any, res: any) => void}
   */
  guard (app) {
    const { maxConnections, maxUriLength } = this.#settings
    return (req, res) => {
      const { socket } = req
      if (req.httpVersionMajor === 1) socket[CURRENT] = res
      if (socket[SURPLUS] === true && this.#open.size > maxConnections) return refuse(req, res, 'TOO_MANY_CONNECTIONS')
      // Others wait for its place.
      if (this.#paused.length > 0 && req.httpVersionMajor === 1) res.setHeader('Connection', 'close')
      if (req.url.length > maxUriLength) return refuse(req, res, 'URI_TOO_LONG')
      if (req.rawHeaders.length > 2 * MOST_HEADERS) return refuse(req, res, 'TOO_MANY_HEADERS')
      if (req.httpVersionMajor === 1) {
        if (hasTwoHosts(req.rawHeaders)) return refuse(req, res, 'BAD_REQUEST', { reason: 'A request has one Host' })
        // One that nothing goes before is answered in transport/client-errors.js.
        if (req.method === 'CONNECT') return refuse(req, res, 'BAD_REQUEST', { reason: 'This is no proxy' })
      }
      app(req, res)
    }
  }

  /** A client that trickles in an upload, or talks and reads nothing, keeps its connection from being silent, and is cut all the same. */
  #cutSlow () {
    // A socket beneath TLS has nothing that waits.
    for (const socket of this.#open) if (isUnread(socket)) socket.destroy()
    for (const sockets of [this.#open, this.#secure]) for (const socket of sockets) this.#look(socket)
  }

  /** @param {any} socket */
  #look (socket) {
    const res = socket[CURRENT]
    if (res === undefined || !isWaitedFor(res.req)) socket[RECEIVED] = undefined
    else if (socket.bytesRead - (socket[RECEIVED] ?? -Infinity) < LEAST_UPLOAD) cut(socket, res)
    else socket[RECEIVED] = socket.bytesRead
  }

  /**
   * To Node.js a connection is idle as soon as its answer is ended, while that is still being sent: such answers are shown as not ended.
   * @param {() => void} closeIdle
   */
  #sparingAnswers (closeIdle) {
    const sending = [...this.#open, ...this.#secure].map(({ _httpMessage }) => _httpMessage).filter(res => res?.finished === true)
    for (const res of sending) res.finished = false
    closeIdle()
    for (const res of sending) res.finished = true
  }

  /** Fires when the server stops. */
  get closing () { return this.#closing.signal }

  /** Sessions of HTTP/2 end with their streams. */
  close () {
    this.#closing.abort()
    for (const session of this.#sessions) session.close()
  }

  /** Breaks off what is still open. */
  destroy () {
    clearInterval(this.#slow)
    for (const socket of this.#open) socket.destroy()
  }
}

/** Bytes that a connection had received when its upload was looked at last. */
const RECEIVED = Symbol('bytes received')

/** Bytes that a connection had sent when it was looked at last, if others waited. */
const SENT = Symbol('bytes sent')

/** Whether bytes wait for the client, and none has been sent since the last look. @param {any} socket */
function isUnread (socket) {
  const before = socket[SENT]
  const { writableLength, bytesWritten, _handle: handle } = socket
  // The system takes a long piece bit by bit.
  socket[SENT] = writableLength === 0 ? undefined : bytesWritten - writableLength - (handle?.writeQueueSize ?? 0)
  return before !== undefined && socket[SENT] === before
}

/** Bytes of an upload that have to come in the time that it may stand still. */
const LEAST_UPLOAD = 4096

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {string} code */
function refuse (req, res, code, details = {}) {
  if (req.httpVersionMajor === 1) res.setHeader('Connection', 'close')
  res.req ??= req
  sendError(res, createError(code, details), () => {})
}

/** A proxy in front may go by another of them than we do. @param {string[]} rawHeaders */
function hasTwoHosts (rawHeaders) {
  let found = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length !== 4 || rawHeaders[i].toLowerCase() !== 'host') continue
    if (found) return true
    found = true
  }
  return false
}

/**
 * A connection of HTTP/1.1, or a session of HTTP/2, on which nothing has moved for a while. A
 * client that does not read the answer, or does not go on with its request, is cut, and one that asks
 * nothing; a client that waits for us may wait.
 *
 * @param {any} silent
 * @param {number} stallTimeout
 */
function onSilence (silent, stallTimeout) {
  const session = silent[STREAMS]
  if (session !== undefined) {
    if (session === 0) return silent.close()
  } else {
    const res = silent[CURRENT]
    if (silent.writableLength > 0 || res === undefined || res.writableFinished) return silent.destroy()
    if (isWaitedFor(res.req)) return cut(silent, res)
  }
  // The timer fired, so it would not again.
  silent.setTimeout(stallTimeout)
}

/**
 * Does something once what has come is read: where the process itself stood still, its timers run out before it reads.
 * @param {() => void} work
 */
function afterReading (work) { setImmediate(work) }

/** Whether more of a request should have come: it is not whole, and we have room for it. @param {PotorooRequest} req */
function isWaitedFor (req) {
  return !req.complete && !req.destroyed && req.readableLength < req.readableHighWaterMark
}

/** @param {any} socket @param {PotorooResponse} res */
function cut (socket, res) {
  if (!res.headersSent) socket.write(REQUEST_TIMEOUT)
  socket.destroySoon()
}

/** How many streams a session of HTTP/2 has. */
const STREAMS = Symbol('open streams')

/** @param {any} session @param {number} stallTimeout */
function watchStreams (session, stallTimeout) {
  session[STREAMS] = 0
  session.on('stream', (/** @type {any} */ stream) => {
    session[STREAMS]++
    stream.once('close', () => { session[STREAMS]-- })
    if (stallTimeout > 0) stream.setTimeout(stallTimeout, () => onSilentStream(stream, stallTimeout))
  })
}

/** @param {any} stream @param {number} stallTimeout */
function onSilentStream (stream, stallTimeout) {
  const isUploading = !stream.endAfterHeaders && !stream.readableEnded && stream.readableLength < stream.readableHighWaterMark
  if (isUploading || stream.writableLength > 0) stream.destroy()
  else stream.setTimeout(stallTimeout)
}

module.exports = { Connections }
