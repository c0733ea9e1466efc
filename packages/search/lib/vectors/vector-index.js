'use strict'

const { Turn } = require('@potoroo/document-store')
const { Graph } = require('./graph')
const { Heap } = require('./heap')
const { metrics } = require('./metrics')
const { VectorSet } = require('./vector-set')

/** @typedef {import('../..').VectorHit} VectorHit */

/** Up to that many vectors each is looked at: that is exact, and as fast. */
const EXACT = 2000
/** Vectors that are looked at between two looks at the clock. */
const LOOKS = 64
/** Places in sight of a walk, at least, and for each that is wanted. */
const WIDTH = 200
const WIDTH_PER_HIT = 4

/** Vectors by id, in memory: finds those near a vector. */
class VectorIndex {
  #dimensions
  #metric
  #set
  #graph
  /** @type {Map<string, number>} */
  #slots = new Map()
  /** By place; a place whose vector is gone keeps its id. @type {string[]} */
  #ids = []

  /** @param {{ dimensions: number, metric: string }} options `cosine`, `dot` or `l2` */
  constructor ({ dimensions, metric }) {
    this.#dimensions = dimensions
    this.#metric = metrics[metric]
    this.#set = new VectorSet(dimensions, this.#metric)
    this.#graph = new Graph(this.#set)
  }

  /** The number of vectors. */
  get size () { return this.#slots.size }
  /** The places that vectors have in memory, with those that are gone. */
  get places () { return this.#set.size }

  /** @param {string} id @param {ArrayLike<number>} vector as many numbers as there are dimensions */
  set (id, vector) {
    this.delete(id)
    const slot = this.#set.add(this.#prepared(vector))
    this.#slots.set(id, slot)
    this.#ids[slot] = id
  }

  /** @param {string} id */
  delete (id) {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#slots.delete(id)
    this.#set.remove(slot)
  }

  /**
   * Brings the graph up to the vectors, with pauses. Until then, those that are not in it are looked at one by one. One build at a time; vectors may
   * come and go meanwhile.
   *
   * @param {() => boolean} [isOver] whether nobody wants it any more
   * @throws what a place could not be added for, memory perhaps: there is no graph then
   */
  async build (isOver = () => false) {
    const turn = new Turn()
    if (this.#set.size > 2 * this.#set.live + EXACT) this.#compact()
    const [graph, set] = [this.#graph, this.#set]
    if (set.live <= EXACT) return
    while (graph.size < set.size) {
      this.#grow(graph)
      if (!turn.isLong) continue
      await turn.end()
      if (isOver()) return
    }
  }

  /** A graph with a place that was added in part would not find it. @param {Graph} graph */
  #grow (graph) {
    try {
      graph.add()
    } catch (error) {
      this.#graph = new Graph(this.#set)
      throw error
    }
  }

  /**
   * Finds the vectors nearest to one, with pauses.
   *
   * @param {ArrayLike<number>} near
   * @param {number} k
   * @returns {Promise<VectorHit[]>} `k` at most, the nearest first
   */
  async nearest (near, k) {
    const prepared = this.#prepared(near)
    // A build may begin again with others.
    const [set, graph, ids, turn] = [this.#set, this.#graph, this.#ids, new Turn()]
    const found = new Heap({ farthestFirst: true })
    const take = (/** @type {number} */ slot, /** @type {number} */ distance) => {
      if (found.size < k) found.push(slot, distance)
      else if (distance < found.distance) found.replace(slot, distance)
    }
    const isExact = set.live <= EXACT || k * WIDTH_PER_HIT > set.live / 4
    const walked = isExact ? 0 : graph.size
    if (!isExact) for (const { slot, distance } of graph.near(prepared, Math.max(WIDTH, k * WIDTH_PER_HIT))) take(slot, distance)
    for (let slot = walked; slot < set.size; slot++) {
      if (set.gone[slot] === 0) take(slot, set.distance(prepared, slot))
      if (slot % LOOKS === 0 && turn.isLong) await turn.end()
    }
    return k === 0 ? [] : found.sorted().map(({ slot, distance }) => ({ id: ids[slot], similarity: this.#metric.similarity(distance) }))
  }

  /** Each vector is looked at, without the graph. @param {ArrayLike<number>} near @param {Iterable<string>} ids @returns {VectorHit[]} the nearest first */
  rank (near, ids) {
    const prepared = this.#prepared(near)
    const found = new Heap({ farthestFirst: false })
    for (const id of ids) {
      const slot = this.#slots.get(id)
      if (slot !== undefined) found.push(slot, this.#set.distance(prepared, slot))
    }
    return found.sorted().map(({ slot, distance }) => ({ id: this.#ids[slot], similarity: this.#metric.similarity(distance) }))
  }

  /** @param {ArrayLike<number>} vector */
  #prepared (vector) {
    if (vector.length !== this.#dimensions) throw new TypeError(`${vector.length} numbers, not ${this.#dimensions}`)
    const prepared = Float32Array.from(vector)
    this.#metric.prepare(prepared)
    return prepared
  }

  /** Begins again without the vectors that are gone. */
  #compact () {
    const [before, ids] = [this.#set, this.#ids]
    this.#set = new VectorSet(this.#dimensions, this.#metric)
    this.#graph = new Graph(this.#set)
    this.#ids = []
    for (let slot = 0; slot < before.size; slot++) {
      if (before.gone[slot] === 1) continue
      const place = this.#set.add(before.vector(slot))
      this.#ids[place] = ids[slot]
      this.#slots.set(ids[slot], place)
    }
  }
}

module.exports = { VectorIndex }
