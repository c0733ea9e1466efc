'use strict'

/** How long requests under way may take once the server is to stop, milliseconds. */
const GRACE = 5000

/** How often connections are looked for whose requests have ended meanwhile, milliseconds. */
const LOOK = 25

/**
 * Takes no more connections and lets requests under way finish, for a while. A connection that
 * its client would keep for the next request ends with the one under way.
 *
 * @param {any[]} servers
 * @param {import('./connections').Connections} connections theirs
 * @param {number} [grace] milliseconds
 */
async function closeServers (servers, connections, grace = GRACE) {
  const stopped = Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  const closeIdle = () => { for (const server of servers) server.closeIdleConnections() }
  closeIdle()
  connections.close()
  const looking = setInterval(closeIdle, LOOK)
  const timer = setTimeout(() => connections.destroy(), grace)
  await stopped
  clearInterval(looking)
  clearTimeout(timer)
  connections.destroy()
}

module.exports = { closeServers }
