'use strict'

const { BlockList, isIP } = require('node:net')

/** @type {Record<number, 'ipv4' | 'ipv6'>} */
const FAMILIES = { 4: 'ipv4', 6: 'ipv6' }

/** @type {Record<number, number>} */
const BITS = { 4: 32, 6: 128 }

/** Addresses of IPv4 and IPv6, one by one (`10.1.2.3`) or in ranges (`10.0.0.0/8`). */
class AddressRanges {
  #list = new BlockList()
  #isEmpty = true

  /** @param {string[]} [ranges] those that are none are left out */
  constructor (ranges = []) {
    for (const range of ranges) this.#add(range)
  }

  /** @param {string} text @returns {boolean} */
  static isRange (text) { return parse(text) !== null }

  /** @param {string} text */
  #add (text) {
    const range = parse(text)
    if (range === null) return
    this.#isEmpty = false
    if (range.bits === null) this.#list.addAddress(range.address, range.family)
    else this.#list.addSubnet(range.address, range.bits, range.family)
  }

  /**
   * @param {string} address of IPv4 too as IPv6 has it, `::ffff:10.1.2.3`
   * @returns {boolean}
   */
  has (address) {
    // By default nobody is in: that answer costs nothing.
    if (this.#isEmpty) return false
    const [bare] = address.split('%', 1)
    const family = FAMILIES[isIP(bare)]
    return family !== undefined && this.#list.check(bare, family)
  }
}

/** @param {string} text @returns {{ address: string, bits: number | null, family: 'ipv4' | 'ipv6' } | null} */
function parse (text) {
  const [address, length, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return null
  if (length === undefined) return { address, bits: null, family: FAMILIES[version] }
  if (!/^\d{1,3}$/.test(length) || Number(length) > BITS[version]) return null
  return { address, bits: Number(length), family: FAMILIES[version] }
}

/** The entries of a list in the configuration. @param {string} text @returns {string[]} */
function entriesOf (text) { return text.split(',').map(entry => entry.trim()).filter(entry => entry !== '') }

module.exports = { AddressRanges, entriesOf }
