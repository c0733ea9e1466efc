'use strict'

/**
 * The nodes whose data are in JavaScript's memory, as a clock: each has a place, and the hand that
 * comes by takes the data of one that was not touched since it came by last. Nothing else holds what
 * was read and is not used, so a pool may be far bigger than memory.
 */
class Cache {
  /** @type {import('../nodes/node').Node[]} */
  #places = []
  #hand = 0
  #limit

  /** @param {number} limit nodes */
  constructor (limit) {
    this.#limit = limit
  }

  /** @param {import('../nodes/node').Node} node */
  add (node) {
    if (node.cached) return
    node.cached = true
    node.touched = true
    if (this.#places.length < this.#limit) {
      this.#places.push(node)
      return
    }
    for (let turns = 2 * this.#limit; turns > 0; turns--) {
      const place = this.#hand
      this.#hand = (place + 1) % this.#limit
      if (!mayGo(this.#places[place])) continue
      evict(this.#places[place])
      this.#places[place] = node
      return
    }
    // All are in use by the transaction under way.
    this.#places.push(node)
    this.#limit++
  }

  /** All that no transaction needs. */
  clear () {
    const places = this.#places
    this.#places = []
    this.#hand = 0
    for (const node of places) {
      if (isInUse(node)) this.#places.push(node)
      else evict(node)
    }
  }
}

/** @param {import('../nodes/node').Node} node */
function isInUse (node) {
  return node.dirty || node.pins > 0
}

/** @param {import('../nodes/node').Node} node */
function mayGo (node) {
  if (isInUse(node)) return false
  const { touched } = node
  node.touched = false
  return !touched
}

/** @param {import('../nodes/node').Node} node */
function evict (node) {
  node.cached = false
  node.heap.identity.weaken(node)
  node.unload()
}

module.exports = { Cache }
