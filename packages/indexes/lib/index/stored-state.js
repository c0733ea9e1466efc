'use strict'

const { RowLayout } = require('../rows/row-layout')
const { isReadable } = require('./catalogue')

/**
 * @typedef {import('./level-index').IndexState} IndexState
 * @typedef {import('./stored-designs').Moment} Moment
 */

/** The state of an index that another thread writes: the same object as long as the index stays as it is. */
class StoredState {
  #signature
  #text = ''
  /** @type {IndexState | null} */
  #state = null

  /** @param {string} signature */
  constructor (signature) { this.#signature = signature }

  /**
   * @param {import('../rows/row-layout').IndexSpace} space
   * @param {any} snapshot
   * @param {Moment} [least] it has to have come so far
   * @returns {Promise<any>} null where it has not, or where there is none that can be read
   */
  async at ({ keyspace, prefix }, snapshot, least) {
    const text = await keyspace.get(new RowLayout(prefix).name(this.#signature), snapshot)
    if (text === undefined) return null
    if (text !== this.#text) this.#take(text)
    const state = this.#state
    if (state === null || (least !== undefined && (state.seq < least.updateSeq || state.purgeSeq < least.purgeSeq))) return null
    return state
  }

  /** @param {string} text */
  #take (text) {
    const state = JSON.parse(text)
    this.#text = text
    this.#state = isReadable(state) && state.seq > 0 && state.unfinished === undefined ? state : null
  }
}

module.exports = { StoredState }
