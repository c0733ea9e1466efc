'use strict'

const { Reference } = require('./reference')

/** The copy of a plain value that is a node. */
class NodeCopy {
  #content
  #children

  /**
   * @param {import('../nodes/node').Node} slot
   * @param {import('./types').Content} content what it was made of
   * @param {Map<object, import('../nodes/node').Node>} children nodes of the objects in it
   */
  constructor (slot, content, children) {
    this.slot = slot
    this.#content = content
    this.#children = children
  }

  /**
   * All that a plain value holds, if that is what the node was made of; undefined if it was changed.
   *
   * @param {object} value
   * @param {import('./heap').Heap} heap
   * @returns {unknown[] | undefined}
   */
  contentIn (value, { originals }) {
    if (!this.slot.isCopyOf(value, this.#content)) return undefined
    for (const [child, node] of this.#children) {
      const slot = originals.slotOf(child)
      // One that was changed meanwhile may have another copy.
      if (slot !== undefined && slot !== node && !(slot instanceof Reference && slot.id === node.id)) return undefined
    }
    return this.#content
  }
}

module.exports = { NodeCopy }
