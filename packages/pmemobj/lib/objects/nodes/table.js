'use strict'

const { HOLE } = require('../record/values')
const { Text } = require('../heap/text')

/**
 * The entries of a Map or Set in memory, each at a position. Positions are given out in the order of
 * insertion, and stay when other entries go; so iterators are positions.
 */
class Table {
  /** By position: what slots hold. HOLE where the entry was deleted. @type {import('../heap/types').Slot[]} */
  keys = []
  /** Unused by Sets. @type {import('../heap/types').Slot[]} */
  values = []
  /** Entries. */
  size = 0
  // Primitive, id of an object, or node of one that had no id when it was added → position.
  /** @type {Map<unknown, number>} */
  #primitives = new Map()
  /** @type {Map<number, number>} */
  #ids = new Map()
  /** @type {Map<{ id: number }, number>} */
  #nodes = new Map()
  /** Iterators go on there, at the position that one here has become. @type {{ table: Table, positions: number[] } | undefined} */
  next = undefined

  /** Positions. */
  get length () { return this.keys.length }

  /** @param {import('../heap/types').Slot} key a primitive that was normalized, or a node */
  find (key) {
    return typeof key !== 'object' || key === null ? this.#primitives.get(key) : this.#findNode(key)
  }

  /** @param {{ id: number, attached?: boolean }} node */
  #findNode (node) {
    const { keys } = this
    const known = this.#nodes.get(node)
    if (known !== undefined || !node.attached) return known
    const position = this.#ids.get(node.id)
    // An id that was taken back may have become another object's.
    if (position !== undefined && /** @type {import('../heap/types').Held} */ (keys[position]).id === node.id) return position
    // An object may have got its id since, and another node.
    for (const [other, place] of this.#nodes) {
      if (other.id === node.id) return place
    }
  }

  /** Now that all objects have ids, for good. */
  settle () {
    for (const [node, position] of this.#nodes) this.#ids.set(node.id, position)
    this.#nodes.clear()
  }

  /**
   * A key that it has not.
   *
   * @param {import('../heap/types').Slot} key
   * @param {import('../heap/types').Slot} value
   */
  append (key, value) {
    this.#index(key, this.keys.push(key) - 1)
    this.values.push(value)
  }

  /** Takes back the last append(). */
  pop () {
    this.#unindex(this.keys.pop())
    this.values.pop()
  }

  /** @param {number} position */
  remove (position) {
    this.#unindex(this.keys[position])
    this.keys[position] = HOLE
    this.values[position] = undefined
  }

  /**
   * Takes back remove().
   *
   * @param {number} position
   * @param {import('../heap/types').Slot} key
   * @param {import('../heap/types').Slot} value
   */
  restore (position, key, value) {
    this.keys[position] = key
    this.values[position] = value
    this.#index(key, position)
  }

  // A record's entries are put into `keys` and `values` first, and are indexed then.

  /**
   * Adds holes.
   *
   * @param {number} length
   */
  skipTo (length) {
    while (this.length < length) {
      this.keys.push(HOLE)
      this.values.push(undefined)
    }
  }

  /** False where two have the same key. */
  indexAll () {
    this.keys.forEach((key, position) => {
      if (key !== HOLE) this.#index(key, position)
    })
    return this.size === this.#primitives.size + this.#ids.size
  }

  /** @param {import('../heap/types').Slot} key @param {number} position */
  #index (key, position) {
    this.size++
    if (!isObject(key)) this.#primitives.set(primitiveOf(key), position)
    else if (/** @type {import('./node').Node} */ (key).attached === false) this.#nodes.set(key, position)
    else this.#ids.set(key.id, position)
  }

  /** @param {import('../heap/types').Slot} key */
  #unindex (key) {
    this.size--
    if (!isObject(key)) this.#primitives.delete(primitiveOf(key))
    else if (!this.#nodes.delete(key)) this.#ids.delete(key.id)
  }

  /** A table without holes, with the same entries. Iterators are led there. */
  compact () {
    const table = new Table()
    const positions = []
    for (let position = 0; position < this.length; position++) {
      positions.push(table.length)
      if (this.keys[position] !== HOLE) table.append(this.keys[position], this.values[position])
    }
    positions.push(table.length)
    this.next = { table, positions }
    return table
  }

  /** An empty one, to which iterators are led. */
  clear () {
    const table = new Table()
    this.next = { table, positions: [] }
    return table
  }

  /**
   * Takes back compact() or clear(): `former` counts again.
   *
   * @param {Table} former
   */
  giveWayTo (former) {
    /** @type {number[]} */
    const positions = []
    const ahead = former.next?.positions ?? []
    for (let position = 0; position < ahead.length; position++) positions[ahead[position]] ??= position
    former.next = undefined
    this.next = { table: former, positions }
  }
}

/** @param {import('../heap/types').Slot} key @returns {key is import('./node').Node | import('../heap/reference').Reference} */
function isObject (key) {
  return typeof key === 'object' && key !== null && !(key instanceof Text)
}

/**
 * Long strings were read before.
 *
 * @param {import('../heap/types').Slot} key
 */
function primitiveOf (key) {
  return key instanceof Text ? key.string : key
}

module.exports = { Table }
