'use strict'

const binding = require('../../binding/binding')
const { Snapshot } = require('../../map/snapshot')
const { Heap } = require('../heap/heap')
const { closedError } = require('../heap/view')

/** A state of the whole pool, its objects and maps, that is kept until it is closed. */
class KeptState {
  #pool
  #onClose
  #options
  /** @type {Heap | undefined} */
  #heap
  #closed = false

  /**
   * @param {unknown} pool handle
   * @param {string | undefined} name
   * @param {{ classes: import('../heap/classes').Classes, cacheSize?: number, onClose: (state: KeptState) => void }} options
   */
  constructor (pool, name, { onClose, ...options }) {
    this.#pool = pool
    this.#options = options
    this.#onClose = onClose
    this.name = name
    this.time = new Date()
    // Threads may commit just now.
    for (let commit; commit !== binding.epoch(pool);) {
      this.snapshot?.close()
      commit = binding.epoch(pool)
      this.snapshot = new Snapshot(pool)
      this.commit = commit
    }
  }

  get closed () { return this.#closed }

  /** The root of the objects as they were. @returns {any} */
  get root () {
    if (this.#closed) throw closedError(true)
    this.#heap ??= new Heap(this.#pool, { ...this.#options, collect: false, snapshot: Snapshot.handleOf(this.snapshot) })
    return this.#heap.root
  }

  /** Lets the state go: its objects throw PMEMOBJ_CLOSED. */
  close () {
    if (this.#closed) return
    this.#closed = true
    this.#heap?.close()
    this.snapshot?.close()
    this.#onClose(this)
  }
}

module.exports = { KeptState }
