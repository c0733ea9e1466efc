'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { checkName, isHidden } = require('../map/map-name')
const { MapChanges } = require('../objects/heap/map-changes')
const { join, triplesOf } = require('../map/pool-operations')
const { OrderedMap } = require('../map/ordered-map')
const { Snapshot } = require('../map/snapshot')
const { checkNames } = require('./pool-options')
const { StoredPool } = require('./stored-pool')

/** The ordered maps of a pool. */
class MapPool extends StoredPool {
  /** @type {Map<string, OrderedMap>} */
  #maps = new Map()
  /** @type {import('../map/ordered-map').Session} */
  #session = { heap: undefined }

  get #handle () { return StoredPool.handleOf(this) }

  /** Returns what the pool shares with its maps. @param {MapPool} pool */
  static sessionOf (pool) { return pool.#session }

  /** Ends the use of maps: the pool is closed. @param {MapPool} pool */
  static forgetMaps (pool) { pool.#maps.clear() }

  /**
   * @param {string} name 1 to 255 bytes
   * @returns {OrderedMap}
   */
  map (name) {
    return this.#map(name, binding.openMap(this.#handle, checkName(name)))
  }

  /**
   * The same; nobody drops the map before it is released.
   *
   * @param {string} name
   * @param {{ alone?: boolean, writer?: boolean }} [options] alone: no other thread may hold it, and this one may drop it; writer: no
   *   other thread may hold it so
   * @throws PMEMOBJ_IN_USE where this thread holds it already, or another one does alone, or as the writer that this one is to be
   */
  hold (name, options = {}) {
    checkNames(options, 'pool.hold()')
    const { alone = false, writer = false } = options
    return this.#map(name, binding.holdMap(this.#handle, checkName(name), Boolean(alone), Boolean(writer)))
  }

  /** @param {string} name */
  release (name) {
    binding.releaseMap(this.#handle, checkName(name))
  }

  /** @param {string} name @param {number} number */
  #map (name, number) {
    const known = this.#maps.get(name)
    // Another thread may have dropped it, and this be another one.
    if (known !== undefined && OrderedMap.isNumber(known, number)) return known
    const map = new OrderedMap(this.#handle, number, name, this.#session)
    this.#maps.set(name, map)
    return map
  }

  /** @returns {string[]} sorted by bytes */
  maps () {
    return binding.listMaps(this.#handle).filter((/** @type {string} */ name) => !isHidden(name))
  }

  /** @param {string} name */
  dropMap (name) {
    this.#refuseInTransaction()
    try {
      binding.dropMap(this.#handle, checkName(name))
    } catch (error) {
      throw error.code === 'PMEMOBJ_NOT_FOUND' ? createError(error.code, `There is no map ${JSON.stringify(name)}`) : error
    }
    this.#maps.delete(name)
  }

  /** @param {unknown[]} operations flat: map, 'put' | 'del', key, value (undefined for 'del') */
  write (operations) {
    const { heap } = this.#session
    if (heap !== undefined && heap.inTransaction) heap.run(() => join(operations, this.#handle))
    else binding.write(this.#handle, triplesOf(operations, this.#handle), 0)
  }

  /**
   * @param {unknown[]} operations as write()'s
   * @returns {Promise<void> | undefined} see OrderedMap
   */
  writeAsync (operations) {
    this.#refuseInTransaction()
    return binding.writeAsync(this.#handle, triplesOf(operations, this.#handle), 0)
  }

  get #inTransaction () { return this.#session.heap !== undefined && this.#session.heap.inTransaction }

  #refuseInTransaction () {
    if (this.#inTransaction) throw createError('PMEMOBJ_IN_TRANSACTION', 'In a transaction, maps are changed by put, del, batch and write')
  }

  snapshot () {
    const { heap } = this.#session
    if (heap !== undefined && heap.inTransaction && MapChanges.anyOf(heap.transaction)) {
      throw createError('PMEMOBJ_IN_TRANSACTION', 'There is no snapshot of what the transaction under way has put into maps')
    }
    return new Snapshot(this.#handle)
  }
}

module.exports = { MapPool }
