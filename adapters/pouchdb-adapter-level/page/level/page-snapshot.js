'use strict'

const { latin1 } = require('../bytes')
const { textsWithin } = require('./key-range')
const { notOpen } = require('./transaction')

/**
 * @typedef {import('./key-range').Range} Range
 * @typedef {import('./read-store').Entry} Entry
 * @typedef {{ key: Uint8Array, value: Uint8Array | undefined }} Former what was stored under a key; undefined: nothing
 */

/** The state between two transactions: what is stored, except that keys written since have their former values. */
class PageSnapshot {
  /** Keys as latin1 text, whose order is that of their bytes. @type {Map<string, Former>} */
  #former = new Map()
  #forget
  #readers = 0
  #isClosed = false

  /** @param {() => void} forget called once it is closed and nobody reads it */
  constructor (forget) { this.#forget = forget }

  /**
   * Reads it. If it is closed meanwhile, it is kept to the end.
   *
   * @template T
   * @param {() => Promise<T>} read
   * @throws LEVEL_SNAPSHOT_NOT_OPEN
   */
  async during (read) {
    if (this.#isClosed) throw notOpen('Snapshot is not open', undefined, 'LEVEL_SNAPSHOT_NOT_OPEN')
    this.#readers++
    try {
      return await read()
    } finally {
      this.#readers--
      this.#end()
    }
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

  async close () {
    this.#isClosed = true
    this.#end()
  }

  #end () {
    if (!this.#isClosed || this.#readers > 0) return
    this.#forget()
    this.#former.clear()
  }
}

module.exports = { PageSnapshot }
