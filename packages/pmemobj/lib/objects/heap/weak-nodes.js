'use strict'

// Entries that are made before a look for those whose nodes are gone.
const FIRST_SWEEP = 1024

/**
 * Nodes by id, as long as something else holds them.
 *
 * @template {import('../nodes/node').Node} Node
 */
class WeakNodes {
  /** @type {Map<number, WeakRef<Node>>} */
  #nodes = new Map()
  #sweepAt = FIRST_SWEEP

  /** @param {number} id */
  get (id) {
    return this.#nodes.get(id)?.deref()
  }

  /** @param {number} id @param {Node} node */
  set (id, node) {
    this.#nodes.set(id, new WeakRef(node))
    if (this.#nodes.size >= this.#sweepAt) this.#sweep()
  }

  /** @param {number} id */
  delete (id) {
    this.#nodes.delete(id)
  }

  clear () {
    this.#nodes.clear()
  }

  /** @returns {Generator<[number, Node]>} ids and nodes */
  * [Symbol.iterator] () {
    for (const [id, reference] of this.#nodes) {
      const node = reference.deref()
      if (node !== undefined) yield [id, node]
    }
  }

  // A FinalizationRegistry would cost each object more than this does.
  #sweep () {
    for (const [id, reference] of this.#nodes) {
      if (reference.deref() === undefined) this.#nodes.delete(id)
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#nodes.size)
  }
}

module.exports = { WeakNodes }
