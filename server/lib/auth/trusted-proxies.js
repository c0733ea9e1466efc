'use strict'

const { AddressRanges, entriesOf } = require('../config/address-ranges')

const LOOPBACK = ['127.0.0.0/8', '::1']

/** @typedef {{ header: string, proxies: TrustedProxies }} Peers how clients behind proxies are told apart */

/** The proxies that may say whose request they pass on: `[chttpd] trusted_proxies`. */
class TrustedProxies {
  #ranges
  #isUnix

  /** @param {string} text addresses, ranges, `loopback`, and `unix` for whoever comes by the Unix socket */
  constructor (text) {
    const entries = entriesOf(text)
    this.#ranges = new AddressRanges(entries.flatMap(entry => entry === 'loopback' ? LOOPBACK : [entry]))
    this.#isUnix = entries.includes('unix')
  }

  /** @param {string} entry @returns {boolean} */
  static isEntry (entry) { return entry === 'loopback' || entry === 'unix' || AddressRanges.isRange(entry) }

  /** @param {string} address '' of the Unix socket */
  has (address) { return address === '' ? this.#isUnix : this.#ranges.has(address) }
}

/** Reads who may say whose requests they pass on, and by which header. @param {import('../config/config').Config} config @returns {Peers} */
function peers (config) {
  return Object.freeze({ header: config.get('chttpd', 'peer_header').toLowerCase(), proxies: new TrustedProxies(config.get('chttpd', 'trusted_proxies')) })
}

module.exports = { TrustedProxies, peers }
