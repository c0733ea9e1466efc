'use strict'

/**
 * Places of the terms of a phrase that are close, in one document, as Lucene's sloppy phrases have them.
 *
 * @typedef {import('./phrase').Places} Places
 */

/**
 * Finds terms that are several times in a phrase, each as its places, in the order of the phrase.
 * @param {Places[]} places
 */
function repeatsOf (places) {
  /** @type {Map<string, Map<number, number>>} */
  const byTerm = new Map()
  places.forEach(({ term, offset }, k) => byTerm.set(term, (byTerm.get(term) ?? new Map()).set(offset, k)))
  const groups = Array.from(byTerm.values(), byOffset => Array.from(byOffset).sort(([a], [b]) => a - b).map(([, k]) => k))
  return groups.filter(({ length }) => length > 1)
}

/** One place of each term. Terms that are the same have a token each. */
class Here {
  #places
  #repeats
  /** @type {number[]} */
  #at

  /** @param {Places[]} places @param {number[][]} repeats */
  constructor (places, repeats) {
    this.#places = places
    this.#repeats = repeats
    this.#at = places.map(() => 0)
    for (const group of repeats) group.forEach((k, turn) => { this.#at[k] = turn })
    /** Starts of the phrase by each, of which `end` is the highest. @type {number[]} */
    this.starts = places.map(({ starts }, k) => starts[this.#at[k]])
    this.end = Math.max(...this.starts)
  }

  /** Whether some have no token. */
  get isOver () { return this.#places.some(({ count }, k) => this.#at[k] >= count) }

  /** @param {number} but @returns {number} the lowest, without one */
  lowest (but) { return this.starts.reduce((low, _, k) => k !== but && (low === -1 || this.#isLower(k, low)) ? k : low, -1) }

  /**
   * Moves one on. If it comes to the token of another, the lower of both moves on, until each has its own.
   * @param {number} k
   * @returns {boolean} false: there are no more tokens
   */
  move (k) {
    for (let low = k, other = -1; ; low = this.#isLower(low, other) ? low : other) {
      if (!this.#step(low)) return false
      other = this.#collision(low)
      if (other === -1) return true
    }
  }

  /** @param {number} k */
  #step (k) {
    if (++this.#at[k] === this.#places[k].count) return false
    const start = this.starts[k] = this.#places[k].starts[this.#at[k]]
    this.end = Math.max(this.end, start)
    return true
  }

  /** @param {number} k @returns {number} which other one is at its token; -1: none */
  #collision (k) {
    for (const group of this.#repeats) {
      if (group.includes(k)) return group.find(other => other !== k && this.#token(other) === this.#token(k)) ?? -1
    }
    return -1
  }

  /** @param {number} k */
  #token (k) { return this.starts[k] + this.#places[k].offset }

  /** @param {number} k @param {number} than */
  #isLower (k, than) {
    const { starts } = this
    return starts[k] < starts[than] || (starts[k] === starts[than] && this.#places[k].offset < this.#places[than].offset)
  }
}

/**
 * Goes through the places where the terms are close; each counts the less, the further they are apart. The lowest term moves on
 * as long as it stays the lowest, and the shortest stretch of that time is a match.
 *
 * @param {Places[]} places of equal starts that of the first term of the phrase is the lowest
 * @param {number[][]} repeats terms that are the same
 * @param {number} slop
 * @returns {number} how often the phrase is there, in parts
 */
function countSloppy (places, repeats, slop) {
  const here = new Here(places, repeats)
  let freq = 0
  if (here.isOver) return freq
  for (;;) {
    const low = here.lowest(-1)
    const next = here.starts[here.lowest(low)]
    let length = here.end - here.starts[low]
    while (here.starts[low] <= next) {
      length = Math.min(length, here.end - here.starts[low])
      if (!here.move(low)) return freq + weigh(length, slop)
    }
    freq += weigh(length, slop)
  }
}

/** @param {number} length @param {number} slop */
function weigh (length, slop) { return length <= slop ? 1 / (1 + length) : 0 }

module.exports = { countSloppy, repeatsOf }
