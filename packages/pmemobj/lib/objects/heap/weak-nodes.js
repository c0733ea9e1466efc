'use strict'

// Entries that are made before a look for those whose nodes are gone.
const FIRST_SWEEP = 1024

/**
 * Nodes by id, as long as something else holds them. The cache holds those whose data are in memory: a weak reference to each would
 * take a tenth of the time in which it is read.
 *
 * @template {import('../nodes/node').Node} Node
 */
class WeakNodes {
  /** @type {Map<number, Node | WeakRef<Node>>} */
  #nodes = new Map()
  #sweepAt = FIRST_SWEEP

  /** @param {number} id */
  get (id) {
    return nodeIn(this.#nodes.get(id))
  }

  /** @param {number} id @param {Node} node */
  set (id, node) {
    this.#nodes.set(id, node.cached ? node : new WeakRef(node))
    if (this.#nodes.size >= this.#sweepAt) this.#sweep()
  }

  /** The cache holds it no longer. @param {number} id @param {Node} node */
  weaken (id, node) {
    if (this.#nodes.get(id) === node) this.#nodes.set(id, new WeakRef(node))
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
    for (const [id, held] of this.#nodes) {
      const node = nodeIn(held)
      if (node !== undefined) yield [id, node]
    }
  }

  // A FinalizationRegistry would cost each object more than this does.
  #sweep () {
    for (const [id, held] of this.#nodes) {
      if (nodeIn(held) === undefined) this.#nodes.delete(id)
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#nodes.size)
  }
}

/**
 * @template {import('../nodes/node').Node} Node
 * @param {Node | WeakRef<Node> | undefined} held
 * @returns {Node | undefined}
 */
function nodeIn (held) {
  return held instanceof WeakRef ? held.deref() : held
}

module.exports = { WeakNodes }
