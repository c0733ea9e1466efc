'use strict'

const { CURRENT } = require('./current')

/** On a socket: requests that wait for the answers before theirs, while there are some. */
const WAITING = Symbol('waiting requests')

/** Waiting requests from which on reading pauses: below it, a client that hangs up is seen. */
const MOST = 32

/**
 * Begins a pipelined request of HTTP/1.1 once the one before it on its connection is answered, as RFC 9112 (9.3.2) wants:
 * what follows a write sees it. While many wait, no more of the connection is read. Requests behind an answer that
 * closes the connection are not done (9.6).
 *
 * @param {(req: any, res: any) => unknown} handle notes the response on the socket
 * @returns {(req: any, res: any) => void}
 */
function oneByOne (handle) {
  return (req, res) => {
    const { socket } = req
    if (socket[WAITING] !== undefined || isBusy(socket)) wait(socket, handle, req, res)
    else if (!socket.writableEnded) handle(req, res)
  }
}

/** Whether an answer is under way. @param {any} socket */
function isBusy (socket) {
  const current = socket[CURRENT]
  return current !== undefined && !current.closed
}

/** @param {any} socket @param {(req: any, res: any) => unknown} handle @param {any} req @param {any} res */
function wait (socket, handle, req, res) {
  if (socket[WAITING] === undefined) {
    socket[WAITING] = []
    socket[CURRENT].once('close', () => beginNext(socket, handle))
    // Node.js reads on at the end of each request, and for each body.
    socket.on('resume', pauseIfMany)
  }
  socket[WAITING].push([req, res])
  if (socket[WAITING].length > MOST) process.nextTick(pauseIfMany.bind(socket))
}

/** @this {any} socket */
function pauseIfMany () { if (this[WAITING]?.length > MOST) this.pause() }

/** @param {any} socket @param {(req: any, res: any) => unknown} handle */
function beginNext (socket, handle) {
  if (socket.destroyed || socket.writableEnded || socket[WAITING].length === 0) return
  const [req, res] = socket[WAITING].shift()
  if (socket[WAITING].length > 0) {
    res.once('close', () => beginNext(socket, handle))
  } else {
    socket[WAITING] = undefined
    socket.off('resume', pauseIfMany)
    // The rest of its body may be still to come.
    socket.resume()
  }
  handle(req, res)
}

/**
 * Ends a connection with the answer that is under way, because what follows the request is none: waiting ones are not done.
 *
 * @param {any} socket
 * @returns {boolean} false: no answer is under way, or its own request is wrong
 */
function endAfterAnswer (socket) {
  if (!isBusy(socket) || !socket[CURRENT].req.complete) return false
  socket[WAITING]?.splice(0)
  socket[CURRENT].shouldKeepAlive = false
  socket[CURRENT].once('close', () => socket.destroySoon())
  return true
}

module.exports = { endAfterAnswer, oneByOne }
