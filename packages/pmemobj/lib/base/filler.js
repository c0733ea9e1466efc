'use strict'

const { setImmediate } = require('node:timers/promises')
const binding = require('../binding/binding')
const { BUFFERS, JOINT, JOINT_ID } = require('../map/map-name')
const { triplesOf } = require('../map/map-operations')
const { OrderedMap } = require('../map/ordered-map')

// Bytes in a batch: greater ones cost more for each entry, and lesser ones more commits.
const BATCH = 192 * 1024

/** Fills the maps of a new pool, in batches. */
class Filler {
  #pool
  #onProgress
  /** @type {OrderedMap | undefined} */
  #map
  /** Whether the values of that map are buffers. */
  #buffers = false
  /** Whether the map has the pool's id. */
  #joint = false
  /** @type {unknown[]} */
  #operations = []
  #size = 0
  #wrote = false
  /** @type {import('../..').RestoreProgress} */
  #progress = { map: undefined, maps: 0, entries: 0, bytes: 0 }

  /**
   * @param {unknown} pool handle
   * @param {(progress: import('../..').RestoreProgress) => void} [onProgress]
   */
  constructor (pool, onProgress) {
    if (onProgress !== undefined && typeof onProgress !== 'function') throw new TypeError('onProgress must be a function')
    this.#pool = pool
    this.#onProgress = onProgress
  }

  /** @param {string} name of the map that what follows goes into; one of our own, too */
  map (name) {
    this.#write()
    this.#buffers = name === BUFFERS
    this.#joint = name === JOINT
    this.#map = new OrderedMap(this.#pool, binding.openMap(this.#pool, name), name)
    this.#progress.map = name
    this.#progress.maps++
  }

  /**
   * @param {Uint8Array} key stays as it is until it is written
   * @param {Uint8Array} value
   * @returns {boolean} whether it is time for a `pause()`
   */
  put (key, value) {
    if (!this.#joint || !JOINT_ID.equals(key)) this.#operations.push('put', key, value)
    this.#size += key.length + value.length
    this.#progress.entries++
    this.#progress.bytes += key.length + value.length
    if (this.#size >= BATCH) this.#write()
    return this.#wrote
  }

  /** Lets the event loop run, where something was written since the last time. */
  async pause () {
    if (!this.#wrote) return
    this.#wrote = false
    this.#onProgress?.({ ...this.#progress })
    await setImmediate()
  }

  /** Writes what is left. */
  end () {
    this.#write()
    this.#onProgress?.({ ...this.#progress })
  }

  #write () {
    if (this.#operations.length === 0) return
    const map = /** @type {OrderedMap} */ (this.#map)
    if (this.#buffers) binding.writeBuffers(this.#pool, triplesOf(this.#operations, OrderedMap.numberOf(map, this.#pool)), 0)
    else map.batch(this.#operations)
    this.#operations = []
    this.#size = 0
    this.#wrote = true
  }
}

module.exports = { Filler }
