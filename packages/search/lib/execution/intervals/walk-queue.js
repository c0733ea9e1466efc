'use strict'

/** @typedef {import('./interval-list').Walk} Walk */

/** Walks in a binary heap. */
class WalkQueue {
  /** @type {Walk[]} */
  #walks = []
  #isBefore

  /** @param {(a: Walk, b: Walk) => boolean} isBefore */
  constructor (isBefore) { this.#isBefore = isBefore }

  get size () { return this.#walks.length }
  get first () { return this.#walks[0] }

  /** @param {Walk} walk */
  push (walk) {
    const walks = this.#walks
    let at = walks.length
    for (; at > 0; at = (at - 1) >> 1) {
      const above = walks[(at - 1) >> 1]
      if (!this.#isBefore(walk, above)) break
      walks[at] = above
    }
    walks[at] = walk
  }

  /** Takes the first one away, of a queue that has one. */
  pop () {
    const [first] = this.#walks
    const last = /** @type {Walk} */ (this.#walks.pop())
    if (last !== first) this.#sink(last)
    return first
  }

  /** @param {Walk} walk to put in the place of the first */
  #sink (walk) {
    const walks = this.#walks
    let at = 0
    for (let below = 1; below < walks.length; below = 2 * at + 1) {
      if (below + 1 < walks.length && this.#isBefore(walks[below + 1], walks[below])) below++
      if (!this.#isBefore(walks[below], walk)) break
      walks[at] = walks[below]
      at = below
    }
    walks[at] = walk
  }
}

/** The shorter of those with one end comes first. @param {Walk} a @param {Walk} b */
function endsBefore (a, b) { return a.end < b.end || (a.end === b.end && a.start >= b.start) }

/** The longer of those with one start comes first. @param {Walk} a @param {Walk} b */
function startsBefore (a, b) { return a.start < b.start || (a.start === b.start && a.end >= b.end) }

module.exports = { WalkQueue, endsBefore, startsBefore }
