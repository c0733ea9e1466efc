'use strict'

const { UNATTACHED } = require('../record/layout')
const { IdSet } = require('../collector/id-set')
const { WeakNodes } = require('./weak-nodes')

// Objects outside of the pool that are made before a look for those that are gone.
const FIRST_SWEEP = 1024
// Objects that are held by us at most.
const MOST_SHOWN = 2 ** 14
// Objects that are looked at in a step: V8 keeps each that is there until the turn ends, at some 2 µs.
const LOOKED_AT = 64

/**
 * Which objects JavaScript has in its hands: for each object of the pool there is one, however it is
 * reached. An object holds its node. The node holds the object only for the turn of the event loop
 * in which it was asked for it, and refers to it weakly otherwise: nodes stay as long as their data are
 * of use, and that must not look as if somebody had the objects.
 */
class Identity {
  /** @type {WeakNodes<import('../nodes/node').Node>} */
  #nodes = new WeakNodes()
  /** Ids of those that JavaScript had when it was last looked, and of all that it was given since. */
  #hands = new IdSet()
  /** Nodes with objects that are not in the pool. @type {Set<WeakRef<import('../nodes/node').Node>>} */
  #unattached = new Set()
  #sweepAt = FIRST_SWEEP
  /** Nodes that hold their objects. @type {import('../nodes/node').Node[]} */
  #shown = []

  /** @param {number} id */
  get (id) {
    return this.#nodes.get(id)
  }

  /** Its object is in JavaScript's hands. @param {import('../nodes/node').Node} node */
  add (node) {
    if (!node.attached) return this.#addUnattached(node)
    this.#nodes.set(node.id, node)
    this.#hands.add(node.id)
  }

  /** @param {import('../nodes/node').Node} node */
  #addUnattached (node) {
    this.#unattached.add(new WeakRef(node))
    if (this.#unattached.size < this.#sweepAt) return
    for (const reference of this.#unattached) {
      if (reference.deref()?.attached !== false) this.#unattached.delete(reference)
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#unattached.size)
  }

  /** The cache holds it no longer. @param {import('../nodes/node').Node} node */
  weaken (node) {
    this.#nodes.weaken(node.id, node)
  }

  /** @param {number} id */
  remove (id) {
    this.#nodes.delete(id)
    this.#hands.remove(id)
  }

  /** It is not in the pool any more, and nobody has it. @param {number} id */
  forget (id) {
    const node = this.get(id)
    this.remove(id)
    node?.unload()
  }

  /** It holds its object now, until the turn ends. @param {import('../nodes/node').Node} node */
  show (node) {
    if (this.#shown.length === 0) setImmediate(() => this.#release()).unref()
    if (this.#shown.push(node) >= MOST_SHOWN) this.#release()
  }

  #release () {
    for (const node of this.#shown) node.shown = undefined
    this.#shown = []
  }

  /**
   * Looks which objects JavaScript has let go, in small steps.
   *
   * @returns {Generator<void>}
   */
  * look () {
    let looked = 0
    for (const id of this.#hands) {
      if (this.get(id)?.object === undefined) this.#hands.remove(id)
      if (++looked % LOOKED_AT === 0) yield
    }
    this.#hands.trim()
    for (const reference of this.#unattached) {
      if (reference.deref()?.attached !== false) this.#unattached.delete(reference)
      if (++looked % LOOKED_AT === 0) yield
    }
  }

  /**
   * Ids of the objects of the pool that JavaScript may have in its hands at this instant: all that it has, and those that it has
   * let go since `look`, for to ask for each of many would take too long.
   */
  get hands () { return this.#hands.copy() }

  /** Ids of what objects refer to that are not in the pool, and that JavaScript has in its hands. */
  handsOutside () {
    /** @type {number[]} */
    const ids = []
    /** @type {Set<import('../nodes/node').Node>} */
    const seen = new Set()
    /** @type {import('./types').Visit} */
    const visit = slot => {
      if (typeof slot !== 'object' || slot === null) return
      if (slot.id !== UNATTACHED) ids.push(slot.id)
      else if ('eachChild' in slot) seen.add(slot)
    }
    for (const reference of this.#unattached) {
      const node = reference.deref()
      if (node?.attached === false) visit(node)
    }
    // A Set is gone through to what is added meanwhile.
    for (const node of seen) node.eachChild(visit)
    return ids
  }
}

module.exports = { Identity }
