'use strict'

const { Core } = require('./core')
const { decodeChange } = require('../media/record')
const { get } = require('../reading/get')
const { Totals } = require('../commit/totals')

/**
 * @import { Level } from '../media/keyspace'
 * @import { GetOptions } from '../..'
 */

/** A database that another server writes, on a level that both read: see index.d.ts. Nothing of it is kept. */
class DistantReader {
  #core

  /** @param {Level} level @param {{ name: string, prefix: string }} options */
  constructor (level, options) {
    this.#core = new Core(level, { ...options, shared: true }, () => {})
  }

  /** @param {string} id @param {GetOptions} [options] */
  get (id, options = {}) { return get(this.#core, id, options) }

  /**
   * Returns the ids of documents that changed after a sequence, and the last sequence. Without one no ids are read.
   *
   * @param {number} [seq]
   * @returns {Promise<{ ids: string[], seq: number }>}
   */
  async changedSince (seq) {
    const { keyspace, layout } = this.#core
    const last = new Totals(await keyspace.get(layout.state)).seq
    if (seq === undefined || last === seq) return { ids: [], seq: last }
    const { lt } = layout.range(layout.sequences)
    const entries = await keyspace.entries({ gt: layout.sequence(seq), lt }).all()
    const reached = entries.map(([key]) => layout.sequenceOf(key))
    return { ids: entries.map(([, text]) => decodeChange(text).id), seq: Math.max(last, ...reached.slice(-1)) }
  }

  /** Lets the same database be read by another one. */
  release () { this.#core.release() }
}

module.exports = { DistantReader }
