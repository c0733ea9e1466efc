'use strict'

const { MemoryLevel } = require('memory-level')

/**
 * An engine for servers of one process: the level of PostgresLevel as far as they use it, with leases and fences, in
 * memory. Faults can be planted: `isOutOfReach` refuses everything.
 */
class MemoryEngine {
  #store = new MemoryLevel({ keyEncoding: 'utf8', valueEncoding: 'utf8' })
  /** @type {Map<string, { address: string, seen: number, load: any }>} */
  servers = new Map()
  /** @type {Map<string, { server: string | null, token: number }>} */
  names = new Map()

  /** A level of its own for a server, which can be cut off by itself. */
  connect () { return new EngineLevel(this, this.#store, null, { isCut: false }) }
}

class EngineLevel {
  supports = { getSync: false, permanence: true, explicitSnapshots: true }
  status = 'open'
  #engine
  #store
  #fence
  /** Shared by all levels of one connection. */
  link

  /** @param {MemoryEngine} engine @param {any} store @param {{ name: string, token: number } | null} fence @param {{ isCut: boolean }} link */
  constructor (engine, store, fence, link) {
    this.#engine = engine
    this.#store = store
    this.#fence = fence
    this.link = link
    this.leases = new EngineLeases(engine, link)
  }

  /** @param {{ name: string, token: number }} fence */
  fenced (fence) { return new EngineLevel(this.#engine, this.#store, fence, this.link) }

  async open () {}
  async close () {}
  /** @param {any[]} given */
  async get (...given) { return this.#reached().get(...given) }
  /** @param {any[]} given */
  async getMany (...given) { return this.#reached().getMany(...given) }
  /** @param {any} options */
  iterator (options) { return this.#reached().iterator(options) }
  /** @param {any} options */
  keys (options) { return this.#reached().keys(options) }
  snapshot () { return this.#reached().snapshot() }
  /** @param {any[]} given */
  async put (...given) { return this.#writable().put(...given) }
  /** Writers may use their buffers again. @param {any[]} operations @param {any} options */
  async batch (operations, options) {
    return this.#writable().batch(operations.map(each => each.value instanceof Uint8Array ? { ...each, value: Buffer.from(each.value) } : each), options)
  }

  /** @param {any[]} given */
  async clear (...given) { return this.#writable().clear(...given) }

  #reached () {
    requireReach(this.link)
    return this.#store
  }

  #writable () {
    const store = this.#reached()
    if (this.#fence !== null && this.#engine.names.get(this.#fence.name)?.token !== this.#fence.token) throw coded('LEVEL_FENCED')
    return store
  }
}

class EngineLeases {
  #engine
  #link

  /** @param {MemoryEngine} engine @param {{ isCut: boolean }} link */
  constructor (engine, link) {
    this.#engine = engine
    this.#link = link
  }

  /** @param {any} server */
  async join ({ id, address, load, lifetime }) {
    requireReach(this.#link)
    this.#engine.servers.set(id, { address, seen: performance.now(), load })
    return this.beat(id, { load, lifetime })
  }

  /** @param {string} id @param {any} options */
  async beat (id, { load, lifetime }) {
    requireReach(this.#link)
    const own = this.#engine.servers.get(id)
    if (own === undefined) throw new Error('It has not joined')
    Object.assign(own, { load, seen: performance.now() })
    return [...this.#engine.servers].filter(([, { seen }]) => performance.now() - seen < lifetime * 1000)
      .map(([id, { address, seen, load }]) => ({ id, address, load, age: (performance.now() - seen) / 1000 }))
  }

  /** @param {string} id */
  async leave (id) {
    requireReach(this.#link)
    for (const [name, { server, token }] of this.#engine.names) if (server === id) this.#engine.names.set(name, { server: null, token: token + 1 })
    this.#engine.servers.delete(id)
  }

  /** @param {string} name @param {string} id @param {{ lifetime: number }} options */
  async take (name, id, { lifetime }) {
    requireReach(this.#link)
    const lease = this.#engine.names.get(name)
    if (lease?.server === id) return { server: id, token: lease.token, taken: true }
    if (lease?.server && this.#isAlive(lease.server, lifetime)) return { server: lease.server, token: lease.token, taken: false }
    const token = (lease?.token ?? 0) + 1
    this.#engine.names.set(name, { server: id, token })
    return { server: id, token, taken: true }
  }

  /** @param {string} name @param {string} id @param {number} token @param {string | null} [to] */
  async give (name, id, token, to = null) {
    requireReach(this.#link)
    const lease = this.#engine.names.get(name)
    if (lease?.server !== id || lease.token !== token) return false
    this.#engine.names.set(name, { server: to, token: token + 1 })
    return true
  }

  /** @param {string[]} names @param {{ lifetime: number }} options */
  async owners (names, { lifetime }) {
    requireReach(this.#link)
    const found = names.map(name => /** @type {[string, any]} */ ([name, this.#engine.names.get(name)])).filter(([, lease]) => lease?.server)
    return new Map(found.map(([name, { server, token }]) => [name, { server, token, address: this.#engine.servers.get(server)?.address, isAlive: this.#isAlive(server, lifetime) }]))
  }

  /** @param {string} id @param {number} lifetime */
  #isAlive (id, lifetime) {
    const server = this.#engine.servers.get(id)
    return server !== undefined && performance.now() - server.seen < lifetime * 1000
  }
}

/** @param {{ isCut: boolean }} link */
function requireReach (link) { if (link.isCut) throw coded('LEVEL_UNAVAILABLE') }

/** @param {string} code */
function coded (code) { return Object.assign(new Error(code), { code }) }

module.exports = { MemoryEngine }
