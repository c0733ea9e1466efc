'use strict'

const { Heap } = require('./heap')

/** Neighbours of a place on upper levels, and on the lowest. */
const LINKS = 16
const LOWEST_LINKS = 32
/** Neighbours over that number that a place may have until the best are chosen again: each choice costs much. */
const SPARE = 16
/** Places that are looked at for the neighbours of a new one. */
const BUILD = 100

/**
 * A graph in which near vectors are neighbours, with levels that have fewer and fewer of them, so that a walk comes to the
 * nearest soon (HNSW).
 *
 * @see Malkov, Yashunin: Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
 *   graphs. IEEE Transactions on Pattern Analysis and Machine Intelligence 42, 2020
 */
class Graph {
  #set
  /** By place and level. @type {number[][][]} */
  #links = []
  #entry = -1
  #visited = new Uint32Array(64)
  #visit = 0
  #random = 0x9e3779b9

  /** @param {import('./vector-set').VectorSet} set */
  constructor (set) { this.#set = set }

  /** The number of places of the set that are in the graph. */
  get size () { return this.#links.length }

  /** Adds the next place of the set. */
  add () {
    const slot = this.#links.length
    const level = this.#level()
    /** @type {number[][]} */
    const links = Array.from({ length: level + 1 }, () => [])
    this.#links.push(links)
    if (this.#entry === -1) {
      this.#entry = slot
      return
    }
    const near = this.#set.vector(slot)
    const top = this.#links[this.#entry].length - 1
    let from = this.#descend(near, top, level)
    for (let each = Math.min(level, top); each >= 0; each--) {
      const found = this.#walk(near, from, each, BUILD, false).sorted().filter(({ slot: other }) => other !== slot)
      links[each] = this.#choose(found, LINKS)
      for (const other of links[each]) this.#link(other, slot, each)
      if (found.length > 0) from = found[0].slot
    }
    if (level > top) this.#entry = slot
  }

  /**
   * Finds near places that are not gone.
   *
   * @param {Float32Array} near prepared
   * @param {number} width places that are kept in sight: more find more exactly
   * @returns {Array<{ slot: number, distance: number }>} `width` at most, the nearest first
   */
  near (near, width) {
    if (this.#entry === -1) return []
    const from = this.#descend(near, this.#links[this.#entry].length - 1, 0)
    return this.#walk(near, from, 0, width, true).sorted()
  }

  /** Levels have a sixteenth of what is below them, by a generator of our own: a graph is always the same. */
  #level () {
    let level = 0
    do {
      this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0
    } while (this.#random < 2 ** 32 / LINKS && ++level < 16)
    return level
  }

  /** Goes to the nearest place above a level. @param {Float32Array} near @param {number} top @param {number} level */
  #descend (near, top, level) {
    let best = this.#entry
    let distance = this.#set.distance(near, best)
    for (let each = top; each > level; each--) {
      for (let isBetter = true; isBetter;) {
        isBetter = false
        for (const other of this.#links[best][each]) {
          const its = this.#set.distance(near, other)
          if (its < distance) [best, distance, isBetter] = [other, its, true]
        }
      }
    }
    return best
  }

  /** @param {Float32Array} near @param {number} from @param {number} level @param {number} width @param {boolean} isLive what is gone does not count */
  #walk (near, from, level, width, isLive) {
    const [set, visited, visit] = [this.#set, this.#newVisit(), this.#visit]
    const [ahead, found] = [new Heap({ farthestFirst: false }), new Heap({ farthestFirst: true })]
    const take = (/** @type {number} */ slot, /** @type {number} */ distance) => {
      if (found.size >= width && distance >= found.distance) return
      ahead.push(slot, distance)
      if (isLive && set.gone[slot] === 1) return
      if (found.size < width) found.push(slot, distance)
      else found.replace(slot, distance)
    }
    visited[from] = visit
    take(from, set.distance(near, from))
    while (ahead.size > 0 && !(found.size >= width && ahead.distance > found.distance)) {
      const slot = ahead.slot
      ahead.pop()
      for (const other of this.#links[slot][level]) {
        if (visited[other] === visit) continue
        visited[other] = visit
        take(other, set.distance(near, other))
      }
    }
    return found
  }

  #newVisit () {
    if (this.#visited.length < this.#links.length) this.#visited = new Uint32Array(this.#links.length * 2)
    this.#visit++
    return this.#visited
  }

  /**
   * Chooses neighbours in several directions: one that is nearer to another neighbour than to the place is left out.
   *
   * @param {Array<{ slot: number, distance: number }>} found the nearest first
   * @param {number} most
   */
  #choose (found, most) {
    /** @type {number[]} */
    const chosen = []
    for (const { slot, distance } of found) {
      if (chosen.length === most) return chosen
      if (chosen.every(other => this.#set.between(slot, other) > distance)) chosen.push(slot)
    }
    for (const { slot } of found) {
      if (chosen.length === most) return chosen
      if (!chosen.includes(slot)) chosen.push(slot)
    }
    return chosen
  }

  /** @param {number} slot @param {number} other that becomes its neighbour @param {number} level */
  #link (slot, other, level) {
    const links = this.#links[slot][level]
    links.push(other)
    const most = level === 0 ? LOWEST_LINKS : LINKS
    if (links.length <= most + SPARE) return
    const sorted = links.map(each => ({ slot: each, distance: this.#set.between(slot, each) })).sort((left, right) => left.distance - right.distance)
    this.#links[slot][level] = this.#choose(sorted, most)
  }
}

module.exports = { Graph }
