'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { freePort } = require('../../support/free-port')
const { Balancer } = require('./balancer')
const { Engine } = require('./engine')
const { Server } = require('./server')
const { TcpProxy } = require('./tcp-proxy')
const { settingsOf } = require('./settings')

/**
 * Servers over one engine, with a network that may fail between each server and the engine and before each server's internal
 * address, and a load balancer. With a storage of one process it is one server, which has nothing of this.
 */
class Cluster {
  #folder
  /** @type {Engine | undefined} */
  engine
  /** @type {Server[]} */
  servers = []
  /** The network between each server and the engine. @type {TcpProxy[]} */
  toEngine = []
  /** The network before each server's internal address. @type {TcpProxy[]} */
  toServer = []
  /** @type {Balancer} */
  balancer
  /** Sends requests to a server that stands still; fulfils when they are over. @type {(server: Server) => Promise<any>} */
  askStanding = async () => {}

  /**
   * @param {{ storage?: 'postgres' | 'classic-level' | 'memory', servers?: number, standby?: boolean, disk?: boolean, balancer?: typeof Balancer }} [options]
   */
  static async start ({ storage = 'postgres', servers = 3, standby = false, disk = false, balancer = Balancer } = {}) {
    const cluster = new Cluster()
    cluster.#folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-cluster-'))
    fs.chmodSync(cluster.#folder, 0o755)
    try {
      if (storage === 'postgres') await cluster.#startMany(servers, { standby, disk })
      else await cluster.#startOne(storage)
      cluster.balancer = await balancer.start(cluster.servers.map(({ url }) => url))
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  async stop () {
    for (const server of this.servers) await server.kill()
    await this.balancer?.stop()
    for (const proxy of [...this.toEngine, ...this.toServer]) await proxy.stop()
    await this.engine?.stop()
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }

  async #startOne (storage) {
    this.servers = [new Server({ name: 'server-0', port: await freePort(), folder: path.join(this.#folder, 'data'), storage, config: {} })]
    await this.servers[0].start()
  }

  async #startMany (count, options) {
    this.engine = await Engine.start(this.#folder, options)
    for (let i = 0; i < count; i++) await this.#addServer(`server-${i}`)
    // The first makes the tables.
    for (const server of this.servers) await server.start()
  }

  async #addServer (name) {
    const toEngine = await TcpProxy.start({ port: this.engine.primary.port })
    const internal = await freePort()
    const toServer = await TcpProxy.start({ port: internal })
    this.toEngine.push(toEngine)
    this.toServer.push(toServer)
    this.servers.push(new Server({
      name,
      port: await freePort(),
      folder: path.join(this.#folder, name),
      storage: this.engine.primary.urlOf(toEngine.port),
      config: settingsOf({ name, internal, advertised: toServer.port })
    }))
  }
}

module.exports = { Cluster }
