'use strict'

const { types } = require('node:util')

/** @typedef {import('../nodes/node').Node} Node */
/** @typedef {{ node: Node, content: import('./types').Content }} Copy content: what it was made of */

/**
 * Plain values that were copied in this turn of the event loop, and their copies: one that is assigned again,
 * or is a key that is looked for, is the same persistent object. A plain value that
 * was changed after it was copied is another.
 */
class Originals {
  #isStrict
  /** @type {WeakMap<object, Copy>} */
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
    node.heap.transaction.remember(this, value, undefined)
  }

  /** A copy was taken back: the last of those that there are. @param {object} value */
  undo (value) {
    this.#copies.delete(value)
    if (this.#fresh.at(-1) === value) this.#fresh.pop()
  }

  /**
   * Returns the copy of a value, whether or not that was changed since.
   *
   * @param {object} value
   */
  copyOf (value) {
    return this.#isEmpty ? undefined : this.#copies.get(value)?.node
  }

  /**
   * Returns what gives the copy of a value that is still as it was, with all that it holds. Each value is looked at once, so
   * it serves one copying.
   *
   * @returns {(value: object) => Node | undefined}
   */
  unchanged () {
    if (this.#isEmpty) return () => undefined
    /** @type {Map<object, boolean>} */
    const verdicts = new Map()
    return value => {
      const copy = this.#copies.get(value)
      if (copy === undefined) return undefined
      if (!verdicts.has(value)) this.#judge(value, verdicts)
      return verdicts.get(value) ? copy.node : undefined
    }
  }

  /**
   * Judges a value and all that it holds: what holds something that was changed is changed, too.
   *
   * @param {object} value
   * @param {Map<object, boolean>} verdicts
   */
  #judge (value, verdicts) {
    /** @type {Map<object, object[]>} */
    const holders = new Map([[value, []]])
    /** @type {object[]} */
    const changed = []
    // A Map is gone through to what is added meanwhile.
    for (const holder of holders.keys()) {
      const { node, content } = /** @type {Copy} */ (this.#copies.get(holder))
      if (!node.isCopyOf(holder, content)) changed.push(holder)
      for (const child of content) {
        if (typeof child !== 'object' || child === null || !this.#copies.has(child)) continue
        const known = holders.get(child)
        if (known !== undefined) known.push(holder)
        else if (!verdicts.has(child)) holders.set(child, [holder])
        else if (!verdicts.get(child)) changed.push(holder)
      }
    }
    for (const each of holders.keys()) verdicts.set(each, true)
    for (let each; (each = changed.pop()) !== undefined;) {
      if (!verdicts.get(each)) continue
      verdicts.set(each, false)
      for (const holder of holders.get(each) ?? []) changed.push(holder)
    }
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
 * Makes writes to a value throw. Bytes cannot be protected, nor what is behind a Proxy.
 *
 * @param {object} value
 */
function seal (value) {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || types.isProxy(value)) return
  const usual = [Map, Set, Date].find(each => value instanceof each)
  if (usual !== undefined) refuseWrites(value, usual.prototype)
  Object.freeze(value)
}

/** @param {object} value @param {object} prototype whose methods that write are hidden by ones that throw */
function refuseWrites (value, prototype) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (!/^(set|add|delete|clear|getOrInsert)/.test(name)) continue
    // One that is frozen has its methods still.
    Reflect.defineProperty(value, name, {
      value () { throw new TypeError(`${name}() of what was copied into a pool: go on with the pool's object`) }
    })
  }
}

module.exports = { Originals }
