'use strict'

const fs = require('node:fs')
const net = require('node:net')

/**
 * Makes room for a Unix socket: one that a dead server left is removed, one that somebody
 * answers on is not, nor anything that is no socket.
 *
 * @param {string} path
 * @throws EADDRINUSE
 */
async function clearSocket (path) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket() || await isAnswered(path)) {
    throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${path}`), { code: 'EADDRINUSE', address: path })
  }
  fs.unlinkSync(path)
}

/** @param {string} path */
function isAnswered (path) {
  return new Promise(resolve => {
    const socket = net.connect(path)
    /** @param {boolean} value */
    const answer = value => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', error => answer(/** @type {any} */ (error).code !== 'ECONNREFUSED'))
  })
}

/**
 * Listens on a Unix socket that has its permissions from the first moment on.
 *
 * @param {import('node:net').Server} server
 * @param {string} path
 * @param {number} mode such as 0o660
 * @param {number | undefined} backlog
 */
function listenOnSocket (server, path, mode, backlog) {
  // Between bind and chmod anybody could connect who may by the umask.
  const before = process.umask(0o777 & ~mode)
  try {
    server.listen({ path, backlog })
  } finally {
    process.umask(before)
  }
}

module.exports = { clearSocket, listenOnSocket }
