'use strict'

const { numberOf, doubleOf, textOf, textsOf } = require('./values')

/** Seconds without a heartbeat after which a server counts as dead. */
const LIFETIME = 10

/**
 * @typedef {import('./connections').Connections} Connections
 * @typedef {import('./wire').Row} Row
 */

/**
 * The servers that live, and the names that each owns. A token grows with each change of owner: rights hang on it
 * alone. Time is the database server's, and only says when an owner may be replaced.
 */
class Leases {
  #connections
  /** By id: what it has told of itself. @type {Map<string, { address: string, load: string }>} */
  #joined = new Map()

  /** @param {Connections} connections */
  constructor (connections) { this.#connections = connections }

  /**
   * Makes a server known, or known again.
   *
   * @param {{ id: string, address: string, load?: unknown, lifetime?: number }} server
   */
  async join ({ id, address, load = {}, lifetime }) {
    this.#joined.set(id, { address, load: JSON.stringify(load) })
    const servers = await this.beat(id, { lifetime })
    await this.#connections.read({ statement: this.#connections.statements.forgetServers, values: [] })
    return servers
  }

  /**
   * Says that a server that has joined lives.
   *
   * @param {string} id
   * @param {{ load?: unknown, lifetime?: number }} [options] seconds
   * @returns {Promise<Array<{ id: string, address: string, age: number, load: any }>>} those that live; ages in seconds
   */
  async beat (id, { load, lifetime = LIFETIME } = {}) {
    const server = this.#joined.get(id)
    if (server === undefined) throw new TypeError(`The server ${id} has not joined`)
    if (load !== undefined) server.load = JSON.stringify(load)
    const rows = await this.#ask('beat', [textOf(id), textOf(server.address), textOf(server.load), doubleOf(lifetime)])
    const others = rows.map(serverOf).filter(other => other.id !== id)
    return [...others, { id, address: server.address, age: 0, load: JSON.parse(server.load) }].sort((a, b) => a.id < b.id ? -1 : 1)
  }

  /**
   * Gives all that a server owns back, and forgets it.
   *
   * @param {string} id
   */
  async leave (id) {
    this.#joined.delete(id)
    await this.#ask('giveAll', [textOf(id)])
    await this.#ask('leave', [textOf(id)])
  }

  /**
   * Takes a name that nobody owns, or whose owner is dead.
   *
   * @param {string} name
   * @param {string} id
   * @param {{ lifetime?: number }} [options] seconds
   * @returns {Promise<{ server: string, token: number, address: string | null, taken: boolean }>} taken: it is this server's; otherwise whose it is
   */
  async take (name, id, { lifetime = LIFETIME } = {}) {
    for (;;) {
      const lease = await this.#leaseOf(name, lifetime)
      if (lease?.server === id) return { server: id, token: lease.token, address: lease.address, taken: true }
      if (lease?.server != null && lease.isAlive) return { server: lease.server, token: lease.token, address: lease.address, taken: false }
      const rows = lease === null
        ? await this.#ask('begin', [textOf(name), textOf(id)])
        : await this.#ask('take', [textOf(name), textOf(id), numberOf(lease.token)])
      // Another one was first, or the answer to this was lost: it says so when it is asked again.
      if (rows.length > 0) return { server: id, token: numberIn(rows[0][0]), address: this.#joined.get(id)?.address ?? null, taken: true }
    }
  }

  /**
   * Gives a name back, so that any server may take it at once, or to one that has to `take` it. The token is of no use
   * from here on.
   *
   * @param {string} name
   * @param {string} id
   * @param {number} token
   * @param {string} [to]
   * @returns {Promise<boolean>} whether it was that server's
   */
  async give (name, id, token, to = '') {
    return (await this.#ask('give', [textOf(name), textOf(id), numberOf(token), textOf(to)])).length > 0
  }

  /**
   * The owners of names, or of all.
   *
   * @param {string[]} [names]
   * @param {{ lifetime?: number }} [options] seconds
   * @returns {Promise<Map<string, { server: string, token: number, address: string | null, isAlive: boolean }>>} without names that nobody owns
   */
  async owners (names, { lifetime = LIFETIME } = {}) {
    const rows = names === undefined ? await this.#ask('owners', []) : await this.#ask('ownersOf', [textsOf(names)])
    return new Map(rows.map(([name, ...rest]) => [textIn(name) ?? '', /** @type {any} */ (leaseIn(rest, lifetime))]))
  }

  /** @param {string} name @param {number} lifetime */
  async #leaseOf (name, lifetime) {
    const rows = await this.#ask('holder', [textOf(name)])
    return rows.length === 0 ? null : leaseIn(rows[0], lifetime)
  }

  /** @param {string} statement @param {Buffer[]} values */
  #ask (statement, values) {
    return this.#connections.read({ statement: /** @type {any} */ (this.#connections.statements)[statement], values })
  }
}

/** @param {Buffer | null} bytes */
function textIn (bytes) { return bytes === null ? null : bytes.toString() }

/** @param {Buffer | null} bytes */
function numberIn (bytes) { return Number(textIn(bytes)) }

/** @param {Row} row @param {number} lifetime */
function leaseIn ([server, token, address, age], lifetime) {
  return { server: textIn(server), token: numberIn(token), address: textIn(address), isAlive: age !== null && numberIn(age) < lifetime }
}

/** @param {Row} row */
function serverOf ([id, address, load, age]) {
  return { id: textIn(id) ?? '', address: textIn(address) ?? '', age: Math.max(0, numberIn(age)), load: JSON.parse(textIn(load) ?? '{}') }
}

module.exports = { Leases, LIFETIME }
