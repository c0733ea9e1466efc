'use strict'

const { badRequest } = require('@potoroo/errors')
const { WebSocketServer } = require('ws')
const { sendError } = require('../http/response')
const { PassedRequest } = require('../passing/passed-request')
const { PassedResponse } = require('../passing/passed-response')
const { cutUnread } = require('../transport/unread')
const { Lines } = require('./lines')

/** @typedef {import('./asked-feed').AskedFeed} AskedFeed */

/** Bytes of a client that has nothing to say. */
const SILENT = 1024

/** Bytes of the reason of a close, as the protocol has it. */
const LONGEST_REASON = 123

/** Milliseconds that a feed has for its last line once the server stops. */
const LAST_LINE = 1000

const [GOOD_BYE, GOING_AWAY, POLICY, INTERNAL] = [1000, 1001, 1008, 1011]

/** A close tells the status of a refusal after this. */
const STATUS = 4000

const BROKEN_OFF = 'unavailable: The feed broke off'

/**
 * One WebSocket: a sink of a continuous feed. The feed is asked for as threads and servers pass requests on to each other, so
 * that whoever answers knows nothing of WebSockets; each line of the answer is a message, and a blank one a ping.
 */
class SocketFeed {
  #req
  #res
  #head
  #asked
  #settings
  #closing
  /** @type {PassedRequest} */
  #request
  /** @type {PassedResponse} */
  #answer
  /** The socket, once the request is let in. @type {import('ws').WebSocket | null} */
  #ws = null
  /** Whether the first message is still to come. */
  #awaitsBody
  /** The status of the answer. */
  #status = 0
  #lines = new Lines(line => this.#say(line))
  /** A ping since then has no pong; 0: none. */
  #unanswered = 0
  /** The data of the client's last ping, until a pong answers it. @type {Buffer | null} */
  #ping = null
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #onSocketClose = () => this.#leave()
  #onClosing = () => this.#goAway()

  /**
   * @param {{ req: any, res: any, head: Buffer }} upgrade `res`: an answer of HTTP, for a refusal
   * @param {AskedFeed} asked
   * @param {{ stallTimeout: number, mostBytes: number }} settings mostBytes: of a message
   * @param {AbortSignal} closing the server stops
   */
  constructor ({ req, res, head }, asked, settings, closing) {
    this.#req = req
    this.#res = res
    this.#head = head
    this.#asked = asked
    this.#settings = settings
    this.#closing = closing
    this.#awaitsBody = asked.method === 'POST'
    const { remoteAddress, remotePort, localAddress, localPort, encrypted } = req.socket
    const connection = { remoteAddress, remotePort, localAddress, localPort, encrypted: encrypted === true }
    this.#request = new PassedRequest({ ...asked, httpVersionMajor: 1, httpVersionMinor: 1, connection, isKnown: true, extra: { originalUrl: req.url } }, () => this.#wantBody(), () => this.#breakOff())
    this.#answer = new PassedResponse(this.#request, (kind, ...rest) => this.#hear(kind, rest))
    for (const stream of [this.#request, this.#answer]) stream.on('error', () => {})
  }

  /** Asks for the feed. @param {(req: any, res: any) => unknown} handle answers a request */
  begin (handle) {
    this.#req.socket.once('close', this.#onSocketClose)
    this.#closing.addEventListener('abort', this.#onClosing)
    if (!this.#awaitsBody) this.#request.receive(null)
    handle(this.#request, this.#answer)
  }

  /** The request is let in, and its body is wanted: the first message. */
  #wantBody () {
    if (!this.#awaitsBody || this.#ws !== null || this.#status !== 0) return
    this.#accept(Object.entries(this.#answer.getHeaders()).flat())
    const { stallTimeout } = this.#settings
    if (stallTimeout > 0) this.#timer = setTimeout(() => this.#stop(STATUS + 408, 'timeout: The first message did not come'), stallTimeout)
  }

  /** @param {any[]} headers of the feed's answer, names and values */
  #accept (headers) {
    const { mostBytes } = this.#settings
    const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false, handleProtocols: () => false, maxPayload: this.#awaitsBody ? mostBytes : SILENT })
    server.on('headers', list => list.push(...told(headers)))
    const { socket } = this.#req
    this.#res.detachSocket(socket)
    server.handleUpgrade(this.#req, socket, this.#head, ws => this.#open(ws))
  }

  /** @param {import('ws').WebSocket} ws */
  #open (ws) {
    this.#ws = ws
    ws.on('message', data => this.#hearMessage(/** @type {Buffer} */ (data)))
    ws.on('ping', data => this.#hearPing(ws, data))
    ws.on('pong', () => {
      this.#unanswered = 0
      this.#goOn(ws)
    })
    // The close says what the client did wrong.
    ws.on('error', () => {})
    cutUnread(this.#req.socket)
    this.#req.socket.setTimeout(this.#settings.stallTimeout)
    if (this.#closing.aborted) this.#goAway()
  }

  /** @param {Buffer} data */
  #hearMessage (data) {
    if (!this.#awaitsBody) return this.#stop(POLICY, 'bad_request: This socket takes no more messages')
    this.#awaitsBody = false
    clearTimeout(this.#timer)
    this.#request.receive(data)
    this.#request.receive(null)
  }

  /** @param {import('ws').WebSocket} ws @param {Buffer} data */
  #hearPing (ws, data) {
    this.#ping = data
    this.#goOn(ws)
  }

  /** A client that does not read is not read either: its pongs would fill the memory, and its bytes keep it from being cut. @param {import('ws').WebSocket} ws */
  #goOn (ws) {
    if (ws.bufferedAmount > 0) return ws.pause()
    const data = this.#ping
    this.#ping = null
    if (data !== null) ws.pong(data, false, () => this.#goOn(ws))
    ws.resume()
  }

  /** A message of the answer. @param {string} kind @param {any[]} rest */
  #hear (kind, [first, second]) {
    if (kind === 'head' || kind === 'whole') this.#hearHead(JSON.parse(first))
    if (kind === 'data') this.#hearData(first)
    if (kind === 'whole' && second !== undefined) this.#hearData(second)
    if (kind === 'whole' || kind === 'end') this.#end()
    if (kind === 'destroy') this.#breakOff()
  }

  /** @param {{ status: number, headers: any[] }} head */
  #hearHead ({ status, headers }) {
    this.#status = status
    if (this.#ws !== null || this.#res.destroyed) return
    const type = headers[headers.findIndex((each, i) => i % 2 === 0 && each.toLowerCase() === 'content-type') + 1]
    if (status === 200 && /^application\/json\b/.test(type)) return this.#accept(headers)
    this.#status = status === 200 ? 406 : status
    if (status === 200) sendError(this.#res, badRequest('A WebSocket is for feeds of JSON'), () => {})
    else this.#res.writeHead(status, headers)
  }

  /** @param {Uint8Array | string} chunk */
  #hearData (chunk) {
    const taken = () => this.#answer.taken(chunk.length)
    if (this.#ws === null) this.#refuse(chunk, taken)
    else this.#lines.add(Buffer.from(chunk), taken)
  }

  /** @param {Uint8Array | string} chunk @param {() => void} taken */
  #refuse (chunk, taken) {
    if (this.#res.writableEnded) taken()
    else this.#res.write(chunk, taken)
  }

  /** @param {Buffer} line @returns {((done: () => void) => void) | null} sends it; null where there is nothing to wait for */
  #say (line) {
    const ws = /** @type {import('ws').WebSocket} */ (this.#ws)
    if (line.length > 0 && this.#status === 200) return done => ws.send(line, { binary: false }, () => this.#sent(ws, done))
    if (line.length === 0) this.#beat(ws)
    return null
  }

  /** @param {import('ws').WebSocket} ws @param {() => void} done */
  #sent (ws, done) {
    if (ws.isPaused) this.#goOn(ws)
    done()
  }

  /** @param {import('ws').WebSocket} ws */
  #beat (ws) {
    // Bytes are on their way to it.
    if (ws.bufferedAmount > 0) return
    const now = performance.now()
    const { stallTimeout } = this.#settings
    if (this.#unanswered > 0 && stallTimeout > 0 && now - this.#unanswered > stallTimeout) return ws.terminate()
    this.#unanswered ||= now
    ws.ping(() => this.#sent(ws, () => {}))
  }

  #end () {
    if (this.#ws === null) return this.#res.end()
    this.#lines.end()
    const { last } = this.#lines
    if (this.#status !== 200) return this.#close(STATUS + this.#status, reasonOf(last))
    if (last.startsWith('{"type":"error",')) return this.#close(INTERNAL, reasonOf(last))
    this.#close(this.#closing.aborted ? GOING_AWAY : GOOD_BYE)
  }

  /** The answer broke off. */
  #breakOff () {
    if (this.#ws !== null) return this.#stop(INTERNAL, BROKEN_OFF)
    this.#req.socket.destroy()
  }

  /** The server stops: a feed has a moment to say where it was. */
  #goAway () {
    if (this.#ws === null) return
    if (this.#awaitsBody) return this.#stop(GOING_AWAY)
    this.#timer = setTimeout(() => this.#stop(GOING_AWAY), LAST_LINE)
  }

  /** @param {number} code @param {string} [reason] */
  #close (code, reason = '') {
    clearTimeout(this.#timer)
    this.#ws?.close(code, reason)
  }

  /** Closes before the feed has ended. @param {number} code @param {string} [reason] */
  #stop (code, reason) {
    this.#close(code, reason)
    this.#cut()
  }

  #cut () {
    this.#request.abort()
    this.#answer.destroy()
  }

  /** The client has gone. */
  #leave () {
    clearTimeout(this.#timer)
    this.#closing.removeEventListener('abort', this.#onClosing)
    this.#cut()
  }
}

/** Headers of the feed's answer that a handshake tells. */
const TOLD = new Set(['set-cookie', 'x-couch-request-id'])

/** @param {any[]} headers names and values @returns {string[]} lines */
function told (headers) {
  const lines = []
  for (let i = 0; i < headers.length; i += 2) if (TOLD.has(headers[i].toLowerCase())) for (const value of [].concat(headers[i + 1])) lines.push(`${headers[i]}: ${value}`)
  return lines
}

/** @param {string} text */
function wordsOf (text) {
  try {
    const { error, reason } = JSON.parse(text)
    return `${error}: ${reason}`
  } catch {
    return text
  }
}

/** @param {string} text JSON of an error @returns {string} in as many bytes as a close may have */
function reasonOf (text) {
  const bytes = Buffer.from(wordsOf(text))
  if (bytes.length <= LONGEST_REASON) return bytes.toString()
  let end = LONGEST_REASON
  while ((bytes[end] & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

module.exports = { SocketFeed }
