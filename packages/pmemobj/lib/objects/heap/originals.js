'use strict'

const { types } = require('node:util')

const { Reference } = require('./reference')

/** @typedef {import('../nodes/node').Node} Node */

/**
 * A copy of a plain value: the slot that has it, and what says whether the value is still as it was.
 *
 * @typedef {import('./record-copy').RecordCopy | import('./node-copy').NodeCopy} Copy
 */

/** Values that are held until the turn ends, at most. */
const FEW = 4096

/** @typedef {Map<object, boolean>} Verdicts whether values are as they were */

/**
 * Plain values that were copied in this turn of the event loop, and their copies: one that is assigned again,
 * or is a key that is looked for, is the same persistent object. A plain value that
 * was changed after it was copied is another.
 */
class Originals {
  #heap
  #isStrict
  #copies = new CopyTable()
  #isEmpty = true
  /** Values that nobody may write to once their copies are in the pool. @type {object[]} */
  #fresh = []

  /**
   * @param {import('./heap').Heap} heap
   * @param {boolean} isStrict whether a later write to an original throws
   */
  constructor (heap, isStrict) {
    this.#heap = heap
    this.#isStrict = isStrict
  }

  /**
   * @param {object[]} values in a list that is no longer anybody else's
   * @param {Copy[]} copies
   */
  add (values, copies) {
    if (this.#isEmpty) setImmediate(() => this.forget()).unref()
    this.#isEmpty = false
    for (let i = 0; i < values.length; i++) {
      this.#copies.set(values[i], copies[i])
      if (this.#isStrict) this.#fresh.push(values[i])
    }
    this.#heap.transaction.remember(this, values, undefined)
  }

  /** Copies were taken back: the last of those that there are. @param {object[]} values */
  undo (values) {
    for (let value; (value = values.pop()) !== undefined;) {
      this.#copies.delete(value)
      if (this.#fresh.at(-1) === value) this.#fresh.pop()
    }
  }

  /**
   * Returns the copy of a value, whether or not that was changed since.
   *
   * @param {object} value
   */
  copyOf (value) {
    const slot = this.slotOf(value)
    return slot instanceof Reference ? this.#heap.find(slot.id) : slot
  }

  /** The slot of that copy. @param {object} value */
  slotOf (value) {
    return this.#isEmpty ? undefined : this.#copies.get(value)?.slot
  }

  /** @param {object} value */
  has (value) { return !this.#isEmpty && this.#copies.has(value) }

  /**
   * The copy of a value that is still as it was, with all that it holds; undefined where it was changed.
   *
   * @param {object} value that has a copy
   * @param {Verdicts} verdicts of one copying, for which each value is looked at once
   * @returns {Node | Reference | undefined}
   */
  unchanged (value, verdicts) {
    if (!verdicts.has(value)) this.#judge(value, verdicts)
    return verdicts.get(value) ? this.#copies.get(value)?.slot : undefined
  }

  /**
   * Judges a value and all that it holds: what holds something that was changed is changed, too.
   *
   * @param {object} value
   * @param {Verdicts} verdicts
   */
  #judge (value, verdicts) {
    /** @type {Map<object, object[]>} */
    const holders = new Map([[value, []]])
    /** @type {object[]} */
    const changed = []
    // A Map is gone through to what is added meanwhile.
    for (const holder of holders.keys()) {
      const content = /** @type {Copy} */ (this.#copies.get(holder)).contentIn(holder, this.#heap)
      if (content === undefined) changed.push(holder)
      for (const child of content ?? []) {
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
    this.#copies = new CopyTable()
    this.#fresh = []
  }
}

/** Copies by values, which are held while they are few: to note one weakly takes three times as long. */
class CopyTable {
  /** @type {Map<object, Copy>} */
  #few = new Map()
  /** @type {WeakMap<object, Copy> | undefined} */
  #many

  /** @param {object} value */
  get (value) { return this.#few.get(value) ?? this.#many?.get(value) }

  /** @param {object} value */
  has (value) { return this.#few.has(value) || (this.#many?.has(value) ?? false) }

  /** @param {object} value @param {Copy} copy */
  set (value, copy) {
    if (this.#many !== undefined) this.#many.set(value, copy)
    else if (this.#few.set(value, copy).size > FEW) this.#loosen()
  }

  /** @param {object} value */
  delete (value) {
    this.#few.delete(value)
    this.#many?.delete(value)
  }

  #loosen () {
    this.#many = new WeakMap(this.#few)
    this.#few = new Map()
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
