'use strict'

const { HOLE } = require('../record/values')

/** Goes over the entries of a Map or Set as JavaScript does: it sees those that are added meanwhile. */
class Cursor {
  /** @type {import('./collection-node').CollectionNode | undefined} undefined once it has come to the end */
  #node
  #table
  #position = 0

  /** @param {import('./collection-node').CollectionNode} node */
  constructor (node) {
    if (node.version !== node.heap.version) node.load()
    this.#node = node
    this.#table = node.table
  }

  /** The position of the next entry; -1 once there is none. */
  next () {
    if (this.#node === undefined) return -1
    this.#follow(this.#node)
    const { keys } = this.#table
    while (this.#position < keys.length) {
      const position = this.#position++
      if (keys[position] !== HOLE) return position
    }
    this.#node = undefined
    return -1
  }

  /**
   * Goes to where the entries are now.
   *
   * @param {import('./collection-node').CollectionNode} node
   */
  #follow (node) {
    if (node.version !== node.heap.version) node.load()
    node.touched = true
    while (this.#table.next !== undefined) {
      const { table, positions } = this.#table.next
      this.#position = positions[this.#position] ?? positions.at(-1) ?? 0
      this.#table = table
    }
    this.#table = node.table
  }

  /** @param {number} position */
  key (position) {
    return this.#reveal(this.#table.keys[position])
  }

  /** @param {number} position */
  value (position) {
    return this.#reveal(this.#table.values[position])
  }

  /** @param {import('../heap/types').Slot} slot */
  #reveal (slot) {
    return typeof slot === 'object' && slot !== null ? slot.reveal(/** @type {import('./collection-node').CollectionNode} */ (this.#node).heap) : slot
  }
}

// Maps' and Sets' iterators have what all iterators have, and a name.
const NATIVE = {
  Map: Object.getPrototypeOf(new Map().entries()),
  Set: Object.getPrototypeOf(new Set().entries())
}

const cursors = new WeakMap()

/** @param {object} native */
function prototypeOf (native) {
  return Object.create(native, {
    next: {
      /** @this {object} */
      value: function next () {
        const { cursor, give } = cursors.get(this)
        const position = cursor.next()
        return position < 0 ? { value: undefined, done: true } : { value: give(cursor, position), done: false }
      },
      writable: true,
      configurable: true
    }
  })
}

const prototypes = { Map: prototypeOf(NATIVE.Map), Set: prototypeOf(NATIVE.Set) }

/**
 * @param {import('./collection-node').CollectionNode} node
 * @param {'Map' | 'Set'} name
 * @param {(cursor: Cursor, position: number) => unknown} give what each step gives
 */
function iterate (node, name, give) {
  const iterator = Object.create(prototypes[name])
  // It has the Map or Set in its hands, as JavaScript's own have.
  cursors.set(iterator, { cursor: new Cursor(node), give, object: node.object })
  return iterator
}

module.exports = { Cursor, iterate }
