'use strict'

const dns = require('node:dns')
const { isIP } = require('node:net')
const { buildConnector } = require('undici')
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

  /** @throws {HostRefused} @param {string} host @param {string | null} address @param {number | string} port */
  check (host, address, port) {
    const reason = this.#refusal({ host, address, port: Number(port) })
    if (reason !== null) throw new HostRefused(reason)
  }

  /**
   * Returns what opens connections to a port, for undici.
   * @param {number} port
   * @param {buildConnector.BuildOptions} options
   * @returns {buildConnector.connector}
   */
  connector (port, options) {
    const connect = buildConnector(/** @type {any} */ ({ ...options, lookup: (/** @type {string} */ name, /** @type {dns.LookupOptions} */ how, /** @type {any} */ done) => this.#lookup(name, port, how, done) }))
    return (peer, done) => {
      try {
        // An address is not looked up.
        if (isIP(peer.hostname) !== 0) this.check(peer.hostname, peer.hostname, port)
      } catch (error) {
        return process.nextTick(done, error)
      }
      connect(peer, done)
    }
  }

  /**
   * @param {string} host
   * @param {number} port
   * @param {dns.LookupOptions} options
   * @param {(error: Error | null, found?: string | dns.LookupAddress[], family?: number) => void} done
   */
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

module.exports = { Gate }
