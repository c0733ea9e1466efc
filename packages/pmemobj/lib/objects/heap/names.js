'use strict'

// The names of an object's properties, and the slot of each. Objects share theirs as a Shape; those
// with many names, or with names that come and go, have a Dictionary of their own. Both have:
//
//   index    Map: name → slot
//   ordered  names in JavaScript's order: whole numbers first, symbols last

/** More names make an object a dictionary. */
const MAX_SHAPE = 128
/** Above it, so does the deletion of a name. */
const MAX_REBUILT = 16
/** Successors of one shape: objects that are used as maps would make a shape for each of their keys. */
const MAX_SUCCESSORS = 256
const MAX_NAME = 256

/** Names and prototype that objects share. Never changes. */
class Shape {
  /** Its id in the pool; 0 until an object in the pool has it. */
  id = 0
  /** @type {Map<string | symbol, Shape>} */
  #successors = new Map()
  /** @type {(string | symbol)[] | undefined} */
  #ordered

  /**
   * @param {string} prototype what `Classes` knows it by
   * @param {(string | symbol)[]} names by slot
   * @param {Map<string | symbol, number>} index
   */
  constructor (prototype, names, index) {
    this.prototype = prototype
    this.names = names
    this.index = index
  }

  /** @param {string} prototype */
  static root (prototype) {
    return new Shape(prototype, [], new Map())
  }

  get size () { return this.names.length }

  get slots () { return this.names.length }

  get ordered () {
    return (this.#ordered ??= inOrder(this.names))
  }

  /**
   * The shape with another name; undefined where a dictionary is better.
   *
   * @param {string | symbol} name
   */
  add (name) {
    const known = this.#successors.get(name)
    if (known !== undefined) return known
    if (this.size === MAX_SHAPE || this.#successors.size === MAX_SUCCESSORS || lengthOf(name) > MAX_NAME) return undefined
    const shape = new Shape(this.prototype, [...this.names, name], new Map(this.index).set(name, this.size))
    this.#successors.set(name, shape)
    return shape
  }

  /**
   * The shape without a name; undefined where a dictionary is better. The names behind it move up.
   *
   * @param {string | symbol} name
   * @param {Shape} root the one without names
   */
  without (name, root) {
    if (this.size > MAX_REBUILT) return undefined
    /** @type {Shape | undefined} */
    let shape = root
    for (const other of this.names) {
      if (other !== name) shape = shape?.add(other)
    }
    return shape
  }
}

/** Names of one object. Slots of deleted ones are not used again: their order is that of the names. */
class Dictionary {
  /** @type {(string | symbol)[] | undefined} */
  #ordered

  /**
   * @param {string} prototype
   * @param {(string | symbol | undefined)[]} names by slot; undefined where it was deleted
   */
  constructor (prototype, names) {
    this.prototype = prototype
    this.names = names
    /** @type {Map<string | symbol, number>} */
    this.index = new Map()
    for (let slot = 0; slot < names.length; slot++) {
      const name = names[slot]
      if (name !== undefined) this.index.set(name, slot)
    }
  }

  get size () { return this.index.size }

  get slots () { return this.names.length }

  get ordered () {
    return (this.#ordered ??= inOrder(this.index.keys()))
  }

  /** @param {string | symbol} name */
  add (name) {
    this.index.set(name, this.names.length)
    this.names.push(name)
    this.#ordered = undefined
    return this
  }

  /** Takes back the last add(). */
  pop () {
    this.index.delete(/** @type {string | symbol} */ (this.names.pop()))
    this.#ordered = undefined
  }

  /** @param {string | symbol} name */
  remove (name) {
    this.names[/** @type {number} */ (this.index.get(name))] = undefined
    this.index.delete(name)
    this.#ordered = undefined
  }

  /**
   * Takes back remove(). The index's own order counts for nothing: see `ordered`.
   *
   * @param {string | symbol} name
   * @param {number} slot
   */
  restore (name, slot) {
    this.names[slot] = name
    this.index = new Map(this.names.flatMap((each, at) => each === undefined ? [] : [[each, at]]))
    this.#ordered = undefined
  }
}

// Names that are array indices: JavaScript has them first, and ascending.
const INDEX = /^(?:0|[1-9]\d{0,9})$/

/** @param {Iterable<string | symbol>} names @returns {(string | symbol)[]} */
function inOrder (names) {
  const numbers = []
  const others = []
  const symbols = []
  for (const name of names) {
    if (typeof name === 'symbol') symbols.push(name)
    else if (isIndex(name)) numbers.push(name)
    else others.push(name)
  }
  return numbers.length + symbols.length === 0 ? others : [...numbers.sort((a, b) => Number(a) - Number(b)), ...others, ...symbols]
}

/** @param {string | symbol} name */
function lengthOf (name) {
  return typeof name === 'string' ? name.length : /** @type {string} */ (Symbol.keyFor(name)).length
}

/** @param {string} name */
function isIndex (name) {
  const code = name.charCodeAt(0)
  return code >= 48 && code <= 57 && INDEX.test(name) && Number(name) < 2 ** 32 - 1
}

module.exports = { Dictionary, Shape, MAX_SHAPE }
