'use strict'

const { AbstractSnapshot } = require('abstract-level')
const { latin1 } = require('../bytes')
const { textsWithin } = require('./key-range')

/**
 * @typedef {import('./key-range').Range} Range
 * @typedef {import('./read-store').Entry} Entry
 * @typedef {{ key: Uint8Array, value: Uint8Array | undefined }} Former what was stored under a key; undefined: nothing
 */

/** The state between two transactions: what is stored, except that keys written since have their former values. */
class PageSnapshot extends AbstractSnapshot {
  /** Keys as latin1 text, whose order is that of their bytes. @type {Map<string, Former>} */
  #former = new Map()
  #forget

  /** @param {{ owner: import('./page-level').PageLevel }} options @param {() => void} forget */
  constructor (options, forget) {
    super(options)
    this.#forget = forget
  }

  /** @param {Uint8Array} key @param {Uint8Array | undefined} value */
  keep (key, value) {
    const text = latin1(key)
    if (!this.#former.has(text)) this.#former.set(text, { key, value })
  }

  /** The value of then. @param {Uint8Array} key @param {Uint8Array | undefined} value of a read that has ended */
  valueOf (key, value) {
    const former = this.#former.size === 0 ? undefined : this.#former.get(latin1(key))
    return former === undefined ? value : former.value
  }

  /**
   * The entries of then.
   *
   * @param {Entry[]} entries those of a range, from a read that has ended
   * @param {Range} range
   * @param {boolean} reverse
   */
  entriesOf (entries, range, reverse) {
    if (this.#former.size === 0) return entries
    const isWithin = textsWithin(range)
    const former = [...this.#former].filter(([text]) => isWithin(text))
    if (former.length === 0) return entries
    const texts = new Map(entries.map(entry => [latin1(entry[0]), entry]))
    for (const [text, { key, value }] of former) {
      if (value === undefined) texts.delete(text)
      else texts.set(text, [key, value])
    }
    const order = reverse ? -1 : 1
    return [...texts].sort(([a], [b]) => a < b ? -order : order).map(([, entry]) => entry)
  }

  async _close () {
    this.#forget()
    this.#former.clear()
  }
}

module.exports = { PageSnapshot }
