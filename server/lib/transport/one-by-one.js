'use strict'

const { CURRENT } = require('./current')

/** On a socket: requests that wait for the answers before theirs, while there are some. */
const WAITING = Symbol('waiting requests')

/** Requests that wait while the connection is read: a client that hangs up is seen. */
const MOST = 32

/**
 * Begins a request of HTTP/1.1 once the one before it on its connection is answered, as RFC 9112 (9.3.2) wants: what
 * follows a write sees it. While many wait, no more of the connection is read.
 *
 * @param {(req: any, res: any) => unknown} handle notes the response on the socket
 * @returns {(req: any, res: any) => void}
 */
function oneByOne (handle) {
  return (req, res) => {
    const { socket } = req
    const current = socket[CURRENT]
    const isBusy = socket[WAITING] !== undefined || (current !== undefined && !current.closed)
    if (isBusy) wait(socket, handle, req, res)
    else handle(req, res)
  }
}

/** @param {any} socket @param {(req: any, res: any) => unknown} handle @param {any} req @param {any} res */
function wait (socket, handle, req, res) {
  if (socket[WAITING] === undefined) {
    socket[WAITING] = []
    socket[CURRENT].once('close', () => beginNext(socket, handle))
  }
  socket[WAITING].push([req, res])
  // Node.js reads on at the end of each request.
  if (socket[WAITING].length > MOST) process.nextTick(pauseIfMany, socket)
}

/** @param {any} socket */
function pauseIfMany (socket) { if (socket[WAITING]?.length > MOST) socket.pause() }

/** @param {any} socket @param {(req: any, res: any) => unknown} handle */
function beginNext (socket, handle) {
  if (socket.destroyed) return
  const [req, res] = socket[WAITING].shift()
  if (socket[WAITING].length > 0) {
    res.once('close', () => beginNext(socket, handle))
  } else {
    socket[WAITING] = undefined
    // The rest of its body may be still to come.
    socket.resume()
  }
  handle(req, res)
}

module.exports = { oneByOne }
