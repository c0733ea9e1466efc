'use strict'

/** Places that there are at first. */
const FIRST = 64

/** Vectors side by side, in places that are counted from 0. A place that is freed is not used again. */
class VectorSet {
  #dimensions
  #metric
  /** The number of places that were given. */
  size = 0
  /** The number of places that have a vector still. */
  live = 0

  /** @param {number} dimensions @param {import('./metrics').Metric} metric */
  constructor (dimensions, metric) {
    this.#dimensions = dimensions
    this.#metric = metric
    this.data = new Float32Array(FIRST * dimensions)
    this.gone = new Uint8Array(FIRST)
  }

  /** @param {Float32Array} vector prepared @returns {number} its place */
  add (vector) {
    if (this.size === this.gone.length) this.#grow()
    this.data.set(vector, this.size * this.#dimensions)
    this.live++
    return this.size++
  }

  /** @param {number} slot */
  remove (slot) {
    this.gone[slot] = 1
    this.live--
  }

  #grow () {
    const [data, gone] = [new Float32Array(this.data.length * 2), new Uint8Array(this.gone.length * 2)]
    data.set(this.data)
    gone.set(this.gone)
    this.data = data
    this.gone = gone
  }

  /** @param {number} slot */
  vector (slot) { return this.data.slice(slot * this.#dimensions, (slot + 1) * this.#dimensions) }

  /** @param {number} left @param {number} right places */
  between (left, right) {
    return this.#metric.distance(this.data, left * this.#dimensions, this.data, right * this.#dimensions, this.#dimensions)
  }

  /** @param {Float32Array} near prepared @param {number} slot */
  distance (near, slot) { return this.#metric.distance(near, 0, this.data, slot * this.#dimensions, this.#dimensions) }
}

module.exports = { VectorSet }
