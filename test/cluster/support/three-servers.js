'use strict'

const { serve } = require('potoroo')
const { MemoryEngine } = require('./memory-engine')

/**
 * Starts servers of one process that share an engine in memory.
 *
 * @param {number} count
 * @param {Record<string, any>} [options] of `serve`
 * @returns {Promise<{ engine: MemoryEngine, servers: any[], levels: any[], start: () => Promise<any>, close: () => Promise<void> }>}
 */
async function startServers (count, { config = {}, ...options } = {}) {
  const engine = new MemoryEngine()
  /** @type {any[]} */
  const servers = []
  /** @type {any[]} */
  const levels = []
  const start = async () => {
    const level = engine.connect()
    const cluster = { secret: 'a secret', lifetime: '5', ...config.cluster }
    const server = await serve({ port: 0, level, log: () => {}, ...options, config: { chttpd_auth: { iterations: 10 }, ...config, cluster } })
    servers.push(server)
    levels.push(level)
    return server
  }
  for (let i = 0; i < count; i++) await start()
  return { engine, servers, levels, start, close: async () => { for (const server of servers) await server.close() } }
}

module.exports = { startServers }
