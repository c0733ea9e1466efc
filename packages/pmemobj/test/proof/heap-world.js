'use strict'

const { Pool } = require('../..')
const { Collection } = require('../../lib/objects/collector/collection')
const { Heap } = require('../../lib/objects/heap/heap')
const { isObject } = require('./graph')
const { PoolWorld } = require('./worlds')

/** A pool with a heap of the test's own: one that keeps few objects in memory, and collects step by step. */
class HeapWorld extends PoolWorld {
  #heap
  #collection

  // The pool's own heap sees nothing of it.
  get heap () {
    this.#heap ??= new Heap(Pool.handleOf(this.pool), { cacheSize: 3, collect: false })
    return this.#heap
  }

  get root () { return this.heap.root }
  set root (value) { this.heap.root = value }
  runOnPool (run) { return this.heap.run(run) }
  create (value) { return isObject(value) ? this.heap.create(value) : value }

  collect () {
    this.#leave()
    this.heap.collect()
  }

  /** Goes on with the collection under way, or begins one. */
  collectSome (steps) {
    this.heap.claim()
    this.#collection ??= new Collection(this.heap)
    for (let i = 0; i < steps; i++) {
      if (!this.#collection.step()) return this.#leave()
    }
  }

  #leave () {
    this.#collection?.close()
    this.#collection = undefined
  }

  reopen () {
    this.#shut()
    super.reopen()
  }

  close () {
    this.#shut()
    super.close()
  }

  #shut () {
    this.#leave()
    this.#heap?.close()
    this.#heap = undefined
  }
}

module.exports = { HeapWorld }
