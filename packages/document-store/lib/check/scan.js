'use strict'

const { isDamage, readablePages } = require('./readable-pages')

/**
 * @import { Keyspace, Range, Snapshot } from '../media/keyspace'
 * @import { Layout } from '../media/layout'
 * @import { Damage } from './damage'
 * @import { Bounds, Item, Pages } from './readable-pages'
 */

/** A snapshot that is read, and what was counted in it. */
class Scan {
  /** Bytes and numbers, as in totals.js. */
  found = { live: 0, deleted: 0, records: 0, external: 0, attachments: 0, revisions: 0, bodies: 0, versions: 0, history: 0 }
  /** How often stored revisions refer to each digest. */
  references = /** @type {Map<string, number>} */ (new Map())
  /** The last sequence that has a change. */
  lastChange = 0
  /** The last purge sequence that is remembered. */
  lastPurge = 0

  /**
   * @param {Keyspace} keyspace
   * @param {Layout} layout
   * @param {Snapshot} snapshot
   * @param {(sentence: string) => void} onLeftover
   * @param {Damage} damage
   */
  constructor (keyspace, layout, snapshot, onLeftover, damage) {
    this.keyspace = keyspace
    this.layout = layout
    this.snapshot = snapshot
    this.onLeftover = onLeftover
    this.damage = damage
  }

  /**
   * Reads the entries of a range, by pages.
   *
   * @param {Bounds} range
   */
  entries (range) {
    return this.#pages(bounds => this.keyspace.entries(bounds), range)
  }

  /** @param {Bounds} range */
  keys (range) {
    return this.#pages(bounds => this.keyspace.keys(bounds), range)
  }

  /**
   * @template {Item} T
   * @param {(range: Range) => Pages<T>} open
   * @param {Bounds} range
   */
  #pages (open, range) {
    const { damage, keyspace, snapshot } = this
    const options = { faults: damage.faults, onGap: (/** @type {string} */ from, /** @type {string | null} */ to) => damage.gap(from, to), turn: () => keyspace.turn() }
    return readablePages(bounds => open({ ...bounds, snapshot }), range, options)
  }

  /** @param {string[]} keys */
  getMany (keys) { return this.#read(() => this.keyspace.getMany(keys, this.snapshot)) }
  /** @param {string[]} keys */
  getBinary (keys) { return this.#read(() => this.keyspace.getBinary(keys, this.snapshot)) }

  /** @template T @param {() => Promise<T>} action */
  async #read (action) {
    try {
      return await action()
    } catch (error) {
      throw isDamage(error) ? this.damage.unreadable(error) : error
    }
  }
}

module.exports = { Scan }
