'use strict'

const { CURRENT } = require('./current')

/** Milliseconds between two looks at an answer. */
const PAUSE = 1000

/** Looks at which an answer may stand still that has not begun. */
const MOST = 60

/**
 * Ends a connection of HTTP/1.1 whose client sends nothing more once its answer stands still: for a second, or for
 * a minute before it begins. A client that waits for the answer looks the same as one that has gone; only for the
 * second a feed would go on for nobody.
 *
 * @param {any} socket
 */
function watchHalfClosed (socket) { socket.once('end', onEnd) }

/** Serves all connections: there may be very many. @this {any} */
function onEnd () { look(this, MOST) }

/** @param {any} socket @param {number} left looks before it begins */
function look (socket, left) {
  const res = socket[CURRENT]
  // Node.js ends it where nothing is to be answered, and after the last answer.
  if (res === undefined || res.writableFinished) return
  const { bytesWritten } = socket
  const stop = () => clearTimeout(timer)
  const timer = setTimeout(() => {
    socket.off('close', stop)
    const isStill = socket.bytesWritten === bytesWritten && socket[CURRENT] === res
    if (isStill && (res.headersSent || left <= 0) && !res.writableFinished) socket.destroy()
    else look(socket, isStill ? left - 1 : MOST)
  }, PAUSE)
  socket.once('close', stop)
}

module.exports = { watchHalfClosed }
