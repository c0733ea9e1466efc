'use strict'

/** @typedef {import('../nodes/node').Node} Node */

/**
 * Plain values that were copied in this turn of the event loop, and their copies: one that is assigned again,
 * or is a key that is looked for, is the same persistent object. A plain value that
 * was changed after it was copied is another.
 */
class Originals {
  #isStrict
  /** @type {WeakMap<object, { node: Node, content: import('./types').Content }>} */
  #copies = new WeakMap()
  #isEmpty = true
  /** Values that nobody may write to once their copies are in the pool. @type {object[]} */
  #fresh = []

  /** @param {boolean} isStrict whether a later write to an original throws */
  constructor (isStrict) {
    this.#isStrict = isStrict
  }

  /** @param {object} value @param {Node} node its copy @param {import('./types').Content} content what it was made of */
  add (value, node, content) {
    if (this.#isEmpty) setImmediate(() => this.forget()).unref()
    this.#isEmpty = false
    this.#copies.set(value, { node, content })
    if (this.#isStrict) this.#fresh.push(value)
  }

  /**
   * Returns the copy of a value, whether or not that was changed since.
   *
   * @param {object} value
   */
  nodeOf (value) {
    return this.#isEmpty ? undefined : this.#copies.get(value)?.node
  }

  /**
   * Returns the copy of a value that is still as it was, with all that it holds.
   *
   * @param {object} value
   */
  unchanged (value) {
    const node = this.nodeOf(value)
    return node !== undefined && this.#isUnchanged(value) ? node : undefined
  }

  /** @param {object} value */
  #isUnchanged (value) {
    const values = new Set([value])
    // A Set is gone through to what is added meanwhile.
    for (const each of values) {
      const copy = this.#copies.get(each)
      // A persistent object.
      if (copy === undefined) continue
      if (!copy.node.isCopyOf(each, copy.content)) return false
      for (const child of copy.content) if (typeof child === 'object' && child !== null) values.add(child)
    }
    return true
  }

  /** Copies are in the pool. */
  committed () {
    for (let value; (value = this.#fresh.pop()) !== undefined;) seal(value)
  }

  forget () {
    if (this.#isEmpty) return
    this.#isEmpty = true
    this.#copies = new WeakMap()
    this.#fresh = []
  }
}

/**
 * Makes writes to a value throw. Bytes cannot be protected.
 *
 * @param {object} value
 */
function seal (value) {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return
  const usual = [Map, Set, Date].find(each => value instanceof each)
  if (usual !== undefined) refuseWrites(value, usual.prototype)
  Object.freeze(value)
}

/** @param {object} value @param {object} prototype whose methods that write are hidden by ones that throw */
function refuseWrites (value, prototype) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (!/^(set|add|delete|clear|getOrInsert)/.test(name)) continue
    Object.defineProperty(value, name, {
      value () { throw new TypeError(`${name}() of what was copied into a pool: go on with the pool's object`) }
    })
  }
}

module.exports = { Originals }
