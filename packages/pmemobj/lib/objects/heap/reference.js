'use strict'

/** An object that a slot refers to, as a record names it. */
class Reference {
  /** @param {number} id */
  constructor (id) {
    this.id = id
    /** @type {import('../nodes/node').Node | undefined} once it was looked up */
    this.node = undefined
  }

  /** @param {import('./heap').Heap} heap */
  reveal (heap) {
    const node = (this.node ??= heap.find(this.id))
    return node.reveal()
  }

  /**
   * A slot does not hold it any more.
   *
   * @param {import('./heap').Heap} heap
   */
  drop (heap) {
    heap.collector.dropped()
  }
}

module.exports = { Reference }
