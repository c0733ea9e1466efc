'use strict'

const { CURRENT } = require('./current')
const { cutUnread } = require('./unread')

/**
 * Returns node's own, which is deprecated: there is no documented way to have a connection without its parser. It is
 * loaded if `[chttpd] release_feeds` asks for it, and not before.
 *
 * @returns {{ freeParser?: (parser: unknown, req: unknown, socket: unknown) => void }}
 */
function ownParts () {
  // @ts-ignore No types: it is node's own.
  return require('_http_common')
}

/**
 * The events that node:http listens for on a connection. Only where it is these, by name and number, is it
 * known what has to be undone.
 * @type {Record<string, string[]>}
 */
const LISTENERS = {
  close: ['bound socketOnClose'],
  error: ['socketOnError'],
  drain: ['bound socketOnDrain'],
  data: ['bound socketOnData'],
  end: ['bound socketOnEnd'],
  timeout: ['socketOnTimeout'],
  resume: ['onSocketResume'],
  pause: ['onSocketPause']
}

/** Its own versions of net.Socket's methods. */
const METHODS = ['on', 'addListener', 'prependListener']

/**
 * Takes the connection of an answer that has begun and may go on for days, so that its parser,
 * its request and its response need not be kept: they are two thirds of what an idle feed costs.
 *
 * @param {any} res of HTTP/1.1, whose body is sent in chunks
 * @returns {Promise<ChunkedBody | null>} null where it has to stay as it is
 */
async function takeSocket (res) {
  // The parser may be at work: it is let go when it is not.
  await new Promise(resolve => setImmediate(resolve))
  const { req, socket } = res
  if (req.httpVersionMajor !== 1 || !req.complete || !res.chunkedEncoding || res.writableEnded || res.outputSize > 0) return null
  if (!socket || socket.destroyed || socket._httpMessage !== res || !socket.parser) return null
  const { freeParser } = ownParts()
  if (typeof freeParser !== 'function') return null
  const found = listenersOf(socket)
  if (found === null) return null
  res.detachSocket(socket)
  for (const [event, listener] of found) socket.removeListener(event, listener)
  // Not deleted: an object that loses members is kept as a dictionary, at three times the cost.
  for (const name of METHODS) socket[name] = Object.getPrototypeOf(socket)[name]
  socket[CURRENT] = undefined
  freeParser(socket.parser, req, socket)
  return new ChunkedBody(socket)
}

/** @param {any} socket @returns {Array<[string, any]> | null} */
function listenersOf (socket) {
  /** @type {Array<[string, any]>} */
  const found = []
  for (const [event, names] of Object.entries(LISTENERS)) {
    const listeners = socket.listeners(event).filter((/** @type {{ name: string }} */ { name }) => names.includes(name))
    if (listeners.length !== names.length) return null
    for (const listener of listeners) found.push([event, listener])
  }
  const rest = Object.keys(LISTENERS).flatMap(event => socket.listeners(event)).filter(({ name }) => /socketOn|onSocket/.test(name))
  return rest.length === found.length ? found : null
}

/** The rest of a body that is sent in chunks, as ResponseWriter needs a response. */
class ChunkedBody {
  #socket

  /** @param {any} socket */
  constructor (socket) {
    this.#socket = socket
    socket.on('error', ignore)
    socket.on('end', endBoth)
    cutUnread(socket)
    // Whatever else the client says is not heard.
    socket.resume()
  }

  get req () { return REQUEST }
  get headersSent () { return true }
  get destroyed () { return this.#socket.destroyed }
  get writableEnded () { return this.#socket.writableEnded }
  get writableNeedDrain () { return this.#socket.writableNeedDrain }
  /** @param {string} event @param {(...args: any[]) => void} listener */
  on (event, listener) { this.#socket.on(event, listener) }
  /** @param {string} event @param {(...args: any[]) => void} listener */
  off (event, listener) { this.#socket.off(event, listener) }

  /** @param {string | Uint8Array} body @returns {boolean} whether there is room for more */
  write (body) {
    const socket = this.#socket
    socket.cork()
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n`, 'latin1')
    socket.write(body)
    const room = socket.write('\r\n', 'latin1')
    process.nextTick(uncork, socket)
    return room
  }

  /** The connection ends with it: nobody reads requests on it any more. @param {string} [text] */
  end (text = '') {
    if (text !== '') this.write(text)
    this.#socket.write('0\r\n\r\n')
    // A client that keeps its side open would keep the connection.
    this.#socket.destroySoon()
  }

  destroy () { this.#socket.destroy() }
}

const REQUEST = Object.freeze({ method: 'GET' })

function ignore () {}
/** @param {any} socket */
function uncork (socket) { socket.uncork() }
/** @this {import('node:net').Socket} */
function endBoth () { this.end() }

module.exports = { takeSocket }
