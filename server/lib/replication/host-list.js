'use strict'

const { AddressRanges } = require('../config/address-ranges')

/**
 * A list of hosts: names, `*.example.org` for all below a name, `*`, addresses, and ranges such as 10.0.0.0/8.
 */
class HostList {
  #names
  #ends
  #ranges

  /** @param {string[]} entries */
  constructor (entries) {
    const names = entries.filter(entry => !AddressRanges.isRange(entry)).map(plainName)
    this.isEmpty = entries.length === 0
    this.#names = new Set(names.filter(name => !name.startsWith('*')))
    this.#ends = names.filter(name => name.startsWith('*')).map(name => name.slice(1))
    this.#ranges = new AddressRanges(entries)
  }

  /** @param {string} entry @returns {boolean} */
  static isEntry (entry) { return AddressRanges.isRange(entry) || /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/i.test(entry) }

  /** @param {string} host a name @param {string[]} addresses in all of their writings */
  has (host, addresses) { return this.names(host, addresses) || this.#ends.some(end => host.endsWith(end)) }

  /** The same without wildcards: somebody else may have such a name lead anywhere. @param {string} host @param {string[]} addresses */
  names (host, addresses) { return this.#names.has(host) || addresses.some(address => this.#ranges.has(address)) }
}

/** @param {string} name */
function plainName (name) { return name.toLowerCase().replace(/\.$/, '') }

module.exports = { HostList, plainName }
