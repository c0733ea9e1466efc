'use strict'

const { HOLE } = require('../record/values')
const { Text } = require('../text')

/**
 * The entries of a Map or Set in memory, each at a position. Positions are given out in the order of
 * insertion, and stay when other entries go; so iterators are positions.
 */
class Table {
  /** By position: what slots hold. HOLE where the entry was deleted. */
  keys = []
  /** Unused by Sets. */
  values = []
  // Primitive, or id of an object, or its node while it has none → position.
  #primitives = new Map()
  #objects = new Map()
  /** Who iterates goes on there, at the position that one here has become. @type {{ table: Table, positions: number[] } | undefined} */
  next = undefined

  /** Positions. */
  get length () { return this.keys.length }

  /** Entries. */
  get size () { return this.#primitives.size + this.#objects.size }

  /** @param {unknown} key a primitive that was normalized, or a node */
  find (key) {
    if (typeof key !== 'object' || key === null) return this.#primitives.get(key)
    return this.#objects.get(key) ?? this.#objects.get(/** @type {any} */ (key).id)
  }

  /** A key that it has not. */
  append (key, value) {
    this.#index(key, this.keys.push(key) - 1)
    this.values.push(value)
  }

  /** Takes back the last append(). */
  pop () {
    this.#unindex(this.keys.pop())
    this.values.pop()
  }

  remove (position) {
    this.#unindex(this.keys[position])
    this.keys[position] = HOLE
    this.values[position] = undefined
  }

  /** Takes back remove(). */
  restore (position, key, value) {
    this.keys[position] = key
    this.values[position] = value
    this.#index(key, position)
  }

  // A record's entries are put into `keys` and `values` first, and are indexed then.

  /** Adds holes. */
  skipTo (length) {
    while (this.length < length) {
      this.keys.push(HOLE)
      this.values.push(undefined)
    }
  }

  /** False where two have the same key. */
  indexAll () {
    let count = 0
    this.keys.forEach((key, position) => {
      if (key === HOLE) return
      count++
      this.#index(key, position)
    })
    return this.size === count
  }

  #index (key, position) {
    if (isObject(key)) this.#objects.set(key.attached === false ? key : key.id, position)
    else this.#primitives.set(primitiveOf(key), position)
  }

  #unindex (key) {
    if (!isObject(key)) this.#primitives.delete(primitiveOf(key))
    else if (!this.#objects.delete(key)) this.#objects.delete(key.id)
  }

  /** A table without holes, with the same entries. Who iterates is led there. */
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

  /** An empty one, to which who iterates is led. */
  clear () {
    const table = new Table()
    this.next = { table, positions: [] }
    return table
  }

  /** Takes back compact() or clear(): `former` counts again. */
  giveWayTo (former) {
    const positions = []
    const ahead = former.next?.positions ?? []
    for (let position = 0; position < ahead.length; position++) positions[ahead[position]] ??= position
    former.next = undefined
    this.next = { table: former, positions }
  }
}

function isObject (key) {
  return typeof key === 'object' && key !== null && !(key instanceof Text)
}

/** Long strings were read before. */
function primitiveOf (key) {
  return key instanceof Text ? key.string : key
}

module.exports = { Table }
