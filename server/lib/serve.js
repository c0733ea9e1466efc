'use strict'

const { once } = require('node:events')
const { potoroo } = require('./app')
const { createHttpServer } = require('./http-server')

/**
 * Starts a server of its own.
 *
 * @param {import('..').ServeOptions} [options] those of `potoroo`, and `port` (0: any free one)
 *   and `host`; by default what the ini file says, 127.0.0.1:5984
 * @returns {Promise<import('..').Server>}
 * @throws what opening the storage or listening throws; nothing is left open then
 */
async function serve (options = {}) {
  const app = potoroo(options)
  const server = createHttpServer(root => root.use(app))
  try {
    await app.ready
    const { config } = app.service
    server.listen(options.port ?? config.integer('chttpd', 'port'), options.host ?? config.get('chttpd', 'bind_address'))
    await once(server, 'listening')
  } catch (error) {
    await app.close()
    throw error
  }
  return { url: urlOf(server.address()), server, service: app.service, close: () => close(server, app) }
}

/** @param {any} address of a listening server */
function urlOf ({ address, family, port }) {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** How long requests under way may take once the server is to stop, milliseconds. */
const GRACE = 5000

/** Takes no more connections, ends feeds, lets requests under way finish, closes the storage. */
async function close (server, app) {
  const stopped = new Promise(resolve => server.close(resolve))
  app.service.endFeeds()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), GRACE)
  await stopped
  clearTimeout(timer)
  await app.close()
}

module.exports = { serve }
