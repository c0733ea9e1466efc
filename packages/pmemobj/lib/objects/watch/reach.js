'use strict'

const { Scan } = require('../record/scan')
const { PART } = require('../record/layout')
const { Parents } = require('./parents')

/** References that were dropped before those are looked for that are reached no longer; more where very many are known. */
const FEW_DROPPED = 1024

/** Milliseconds of a turn that the look takes. */
const WORK = 5

/**
 * All objects that one of the pool leads to, by reading records, so that none of them has to be in memory. It knows all that refer to each:
 * whether one is reached is found by going up from it, and nothing below has to be read again.
 */
class Reach {
  #heap
  #root
  #parents = new Parents()
  /** Ids of objects that each may refer to no longer. @type {Map<number, Set<number>>} */
  #doubts = new Map()
  /** References that were dropped since all that is known was reached. */
  #dropped = 0
  /** Objects of which that is certain all the same, since the last of these. @type {Set<number>} */
  #reached = new Set()
  #isSweeping = false

  /** @param {import('../heap/heap').Heap} heap @param {number} root id */
  constructor (heap, root) {
    this.#heap = heap
    this.#root = root
    this.#parents.add(root, root)
    this.#grow([root])
  }

  /** @param {number[]} waiting ids of objects whose children are to be added */
  #grow (waiting) {
    for (let id; (id = waiting.pop()) !== undefined;) {
      for (const child of childrenOf(this.#heap, id)) if (this.#parents.add(child, id)) waiting.push(child)
    }
  }

  /** An object has changed. @param {import('./changes').Change} change */
  follow ({ id, added, dropped }) {
    if (!this.#parents.has(id)) return
    for (const child of dropped) this.#doubt(id, child)
    const doubted = this.#doubts.get(id)
    for (const child of added) {
      doubted?.delete(child)
      if (this.#parents.add(child, id)) this.#grow([child])
    }
    if (this.#dropped >= Math.max(FEW_DROPPED, this.#parents.size / 4)) this.#sweepInTurns()
  }

  /** @param {number} id @param {number} child that it may refer to no longer */
  #doubt (id, child) {
    const doubted = this.#doubts.get(id)
    if (doubted === undefined) this.#doubts.set(id, new Set([child]))
    else doubted.add(child)
    this.#dropped++
    this.#reached.clear()
  }

  /** @param {number} id */
  has (id) { return this.#parents.has(id) && (this.#dropped === 0 || this.#isReached(id, this.#reached)) }

  /** Whether a way leads up to the root. @param {number} id @param {Set<number>} reached those of which that is known */
  #isReached (id, reached) {
    for (;;) {
      /** @type {Set<number>} */
      const unsure = new Set()
      const way = this.#wayFrom(id, unsure, reached)
      for (const at of way) reached.add(at)
      if (way.length > 0 || unsure.size === 0) return way.length > 0
      for (const parent of unsure) this.#settle(parent)
    }
  }

  /**
   * Looks for a way up from an object, by references that are certain.
   *
   * @param {number} id
   * @param {Set<number>} unsure gets those whose references would have to be looked at
   * @param {Set<number>} reached where it may end
   * @returns {number[]} the way; empty where there is none
   */
  #wayFrom (id, unsure, reached) {
    /** @type {Map<number, number | undefined>} */
    const from = new Map([[id, undefined]])
    const waiting = [id]
    for (let at; (at = waiting.pop()) !== undefined;) {
      if (at === this.#root || reached.has(at)) return wayTo(at, from)
      for (const parent of this.#parents.of(at)) {
        if (this.#doubts.get(parent)?.has(at)) unsure.add(parent)
        else if (!from.has(parent) && this.#parents.has(parent)) {
          from.set(parent, at)
          waiting.push(parent)
        }
      }
    }
    return []
  }

  /** Reads what an object refers to now. @param {number} parent */
  #settle (parent) {
    const children = childrenOf(this.#heap, parent)
    for (const child of this.#doubts.get(parent) ?? []) if (!children.has(child)) this.#parents.remove(child, parent)
    this.#doubts.delete(parent)
  }

  /** Forgets what is reached no longer, in turns. */
  #sweepInTurns () {
    if (this.#isSweeping) return
    this.#isSweeping = true
    const sweep = this.#sweep()
    const step = () => {
      if (this.#heap.closed) return
      this.#heap.enter()
      const end = performance.now() + WORK
      while (this.#isSweeping && performance.now() < end) this.#isSweeping = sweep.next().done !== true
      if (this.#isSweeping) setImmediate(step).unref()
    }
    setImmediate(step).unref()
  }

  /** Each step is short; commits may come between. */
  * #sweep () {
    const dropped = this.#dropped
    /** @type {Set<number>} */
    const reached = new Set()
    for (const parent of this.#doubts.keys()) yield this.#settle(parent)
    for (const id of this.#parents.ids) yield this.#isReached(id, reached) || this.#parents.forget(id)
    for (const id of this.#parents.ids) yield this.#parents.forgetUnknown(id)
    this.#dropped -= dropped
  }
}

/** @param {number} id @param {Map<number, number | undefined>} from */
function wayTo (id, from) {
  const way = []
  for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = from.get(at)) way.push(at)
  return way
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
