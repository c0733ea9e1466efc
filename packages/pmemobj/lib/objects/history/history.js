'use strict'

const { createError } = require('../../base/codes')
const { KeptState } = require('./kept-state')

/** The states of a pool that a thread keeps. */
class History {
  /** By commit, ascending. @type {KeptState[]} */
  #states = []

  /** Oldest first. */
  get states () { return [...this.#states] }

  /**
   * Keeps the present state.
   *
   * @param {unknown} pool handle
   * @param {string | undefined} name
   * @param {import('../heap/heap').Heap} heap the objects as they are
   * @param {number | undefined} cacheSize
   */
  keep (pool, name, heap, cacheSize) {
    if (name !== undefined && typeof name !== 'string') throw new TypeError('The name of a state is a string')
    if (heap.inTransaction) throw createError('PMEMOBJ_IN_TRANSACTION', 'A state is kept between transactions: the one under way has not come to its end')
    const onClose = (/** @type {KeptState} */ state) => { this.#states = this.#states.filter(each => each !== state) }
    const state = new KeptState(pool, name, { classes: heap.classes, cacheSize, onClose })
    this.#states.push(state)
    return state
  }

  /**
   * The latest state of a commit, or with a name.
   *
   * @param {number | string} which
   */
  at (which) {
    if (typeof which !== 'string' && typeof which !== 'number') throw new TypeError('pool.at() takes the name of a state, or the number of its commit: state.name, state.commit')
    const state = this.#states.findLast(({ commit, name }) => which === (typeof which === 'number' ? commit : name))
    if (state !== undefined) return state
    throw createError('PMEMOBJ_NOT_FOUND', `${typeof which === 'number' ? 'Commit' : 'State'} ${which} is not kept: pool.history has those that are`)
  }

  close () {
    for (const state of this.states) state.close()
  }
}

module.exports = { History }
