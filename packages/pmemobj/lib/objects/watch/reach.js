'use strict'

const { Scan } = require('../record/scan')
const { PART } = require('../record/layout')

/** All objects that one of the pool leads to, by reading records, so that none of them has to be in memory. */
class Reach {
  #heap
  #root
  /** Id of an object → of the one by which it was found. @type {Map<number, number>} */
  #parents = new Map()
  /** Whether something may not be reached any more. */
  #isStale = false

  /** @param {import('../heap/heap').Heap} heap @param {number} root id */
  constructor (heap, root) {
    this.#heap = heap
    this.#root = root
    this.#build()
  }

  #build () {
    this.#parents.clear()
    this.#parents.set(this.#root, this.#root)
    this.#isStale = false
    this.#grow([this.#root])
  }

  /** @param {number[]} waiting ids of objects whose children are to be added */
  #grow (waiting) {
    for (let id; (id = waiting.pop()) !== undefined;) {
      for (const child of childrenOf(this.#heap, id)) {
        if (this.#parents.has(child)) continue
        this.#parents.set(child, id)
        waiting.push(child)
      }
    }
  }

  /** @param {number} id */
  has (id) {
    if (!this.#parents.has(id)) return false
    if (!this.#isStale || this.#isLinked(id)) return true
    this.#build()
    return this.#parents.has(id)
  }

  /** Whether the way by which an object was found is still there. @param {number} id */
  #isLinked (id) {
    for (let child = id; child !== this.#root;) {
      const parent = /** @type {number} */ (this.#parents.get(child))
      if (!childrenOf(this.#heap, parent).has(child)) return false
      child = parent
    }
    return true
  }

  /** An object has changed. @param {import('./changes').Change} change */
  follow ({ id, dropped }) {
    if (!this.#parents.has(id)) return
    this.#isStale ||= dropped
    this.#grow([id])
  }
}

/**
 * Ids of the objects that one refers to; of none that there is not.
 *
 * @param {import('../heap/heap').Heap} heap
 * @param {number} id
 */
function childrenOf (heap, id) {
  /** @type {Set<number>} */
  const children = new Set()
  const reader = heap.read(id)
  if (reader === undefined) return children
  const scan = new Scan({ reference: child => { children.add(child) }, text () {} })
  scan.begin(reader)
  while (scan.part >= 0) scan.next(heap.readPart(id, PART.chunk, scan.part))
  return children
}

module.exports = { Reach }
