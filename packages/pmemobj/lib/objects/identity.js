'use strict'

// So many entries are made before it is looked for those whose objects are gone.
const FIRST_SWEEP = 1024

/** Which objects of the pool JavaScript has in its hands: for each there is one, however it is reached. */
class Identity {
  /** @type {Map<number, WeakRef<import('./nodes/node').Node>>} */
  #nodes = new Map()
  #sweepAt = FIRST_SWEEP

  /** @param {number} id */
  get (id) {
    return this.#nodes.get(id)?.deref()
  }

  /** @param {import('./nodes/node').Node} node */
  add (node) {
    this.#nodes.set(node.id, new WeakRef(node))
    if (this.#nodes.size >= this.#sweepAt) this.#sweep()
  }

  remove (id) {
    this.#nodes.delete(id)
  }

  /** The nodes whose objects JavaScript may still hold. */
  * held () {
    for (const reference of this.#nodes.values()) {
      const node = reference.deref()
      if (node !== undefined) yield node
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

module.exports = { Identity }
