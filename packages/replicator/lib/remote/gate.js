'use strict'

const dns = require('node:dns')
const http = require('node:http')
const https = require('node:https')
const { isIP } = require('node:net')
const { HostRefused } = require('../replication/failure')

/**
 * Why a host may not be asked, or null. `address` is null where a proxy looks the name up and it is not known here.
 * @typedef {(peer: { host: string, address: string | null, port: number }) => string | null} Refusal
 */

/**
 * Stands where connections are opened. A name is looked up once for a connection, its addresses are judged, and
 * the connection goes to one of those: a name that leads elsewhere a moment later is of no use to anybody.
 */
class Gate {
  #refusal

  /** @param {Refusal} refusal */
  constructor (refusal) {
    this.#refusal = refusal
  }

  /** @throws {HostRefused} */
  check (host, address, port) {
    const reason = this.#refusal({ host, address, port: Number(port) })
    if (reason !== null) throw new HostRefused(reason)
  }

  /**
   * Returns the options of `net.connect`, with the gate in them.
   * @param {any} options `host` and `port`
   * @throws {HostRefused} where the host is an address, which nobody looks up
   */
  through (options) {
    const host = options.host ?? 'localhost'
    if (isIP(host) !== 0) this.check(host, host, options.port)
    return { ...options, lookup: (name, how, done) => this.#lookup(name, options.port, how, done) }
  }

  #lookup (host, port, { all, ...options }, done) {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error)
      let refused = /** @type {Error | null} */ (null)
      const open = found.filter(({ address }) => {
        try {
          this.check(host, address, port)
          return true
        } catch (error) {
          refused = error
          return false
        }
      })
      if (open.length === 0) done(refused)
      else if (all) done(null, open)
      else done(null, open[0].address, open[0].family)
    })
  }

  /**
   * Judges a host that a proxy connects to: by its name, and by what the name means here, if it means anything.
   * @param {string} host
   * @param {number | string} port
   * @throws {HostRefused}
   */
  async checkBehindProxy (host, port) {
    if (isIP(host) !== 0) return this.check(host, host, port)
    this.check(host, null, port)
    const found = await dns.promises.lookup(host, { all: true }).catch(() => [])
    for (const { address } of found) this.check(host, address, port)
  }
}

/** @template {new (...args: any[]) => any} T @param {T} Agent */
const guarded = Agent => class extends Agent {
  #gate

  /** @param {any[]} args the agent's options, and a Gate */
  constructor (...args) {
    super(args[0])
    this.#gate = args[1]
  }

  /** @param {any} options @param {(error: Error | null, socket?: any) => void} done */
  createConnection (options, done) {
    let through
    try {
      through = this.#gate.through(options)
    } catch (error) {
      // The agent calls this from where nobody catches.
      process.nextTick(done, error)
      return undefined
    }
    return super.createConnection(through, done)
  }
}

/** @typedef {new (options: http.AgentOptions, gate: Gate) => http.Agent} GuardedAgent */

const GuardedHttpAgent = /** @type {GuardedAgent} */ (/** @type {unknown} */ (guarded(http.Agent)))
const GuardedHttpsAgent = /** @type {GuardedAgent} */ (/** @type {unknown} */ (guarded(https.Agent)))

module.exports = { Gate, GuardedHttpAgent, GuardedHttpsAgent }
