'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { GatheredBatch } = require('./gathered-batch')
const { Iterator } = require('./iterator')
const { MapChanges } = require('../objects/heap/map-changes')
const { checkValue, isFew, pairsOf, roomOf, triplesOf } = require('./map-operations')
const { Snapshot } = require('./snapshot')
const { makers, reserve, take, Pieces } = require('./slab')
const { checkCounting, checkIterating, checkNames, checkReading } = require('./map-options')
const { checkEncoding, rangeOf } = require('./read-options')

// Keys that go as arguments of one call.
const MOST_KEYS = 1000

/**
 * State that a pool shares with its maps.
 *
 * @typedef {{ heap: import('../objects/heap/heap').Heap | undefined }} Session `heap` once there are objects
 */
/** @type {Session} */
const NO_SESSION = Object.freeze({ heap: undefined })

/**
 * A durable map ordered by the bytes of its keys (strings count as their UTF-8).
 *
 * Methods whose names end in Async never make their thread wait: where they would have to, for the disk or for a
 * big write, they give a promise. Otherwise all is done, or an error thrown, when it returns.
 */
class OrderedMap {
  #pool
  #number
  #name
  #session
  /** @type {MapChanges | undefined} of the transaction under way, once there was one that changed something */
  #changes

  /**
   * Made by `pool.map()`.
   *
   * @param {unknown} pool handle
   * @param {number} number the engine's, for the map
   * @param {string} name
   * @param {Session} [session] of the pool
   */
  constructor (pool, number, name, session = NO_SESSION) {
    this.#pool = pool
    this.#number = number
    this.#name = name
    this.#session = session
  }

  get name () { return this.#name }

  /**
   * @param {import('../..').Bytes} key
   * @param {import('../..').ReadOptions} [options]
   */
  get (key, options) {
    checkReading(options, 'map.get()')
    const encoding = checkEncoding(options?.encoding)
    if (options?.snapshot === undefined) {
      const change = this.#changed?.find(key)
      if (change !== undefined) return MapChanges.valueOf(change, encoding)
      return encoding === 'utf8'
        ? binding.getString(this.#pool, this.#number, key)
        : take(binding.getBytes(this.#pool, this.#number, key, reserve()), encoding)
    }
    const snapshot = Snapshot.handleOf(options.snapshot)
    return encoding === 'utf8'
      ? binding.getString(this.#pool, this.#number, key, snapshot)
      : take(binding.getBytes(this.#pool, this.#number, key, reserve(), snapshot), encoding)
  }

  /**
   * @param {import('../..').Bytes[]} keys
   * @param {import('../..').ReadOptions} [options]
   */
  getMany (keys, options) {
    checkReading(options, 'map.getMany()')
    const encoding = checkEncoding(options?.encoding)
    const snapshot = Snapshot.handleOf(options?.snapshot)
    const values = encoding === 'utf8'
      ? this.#many(binding.getMany, keys, snapshot, false, (/** @type {(string | undefined)[]} */ page) => page)
      : this.#many(binding.getMany, keys, snapshot, true, (/** @type {ArrayBuffer} */ page) => cut(page, makers[encoding]))
    return this.#amend(values, keys, snapshot, change => MapChanges.valueOf(change, encoding))
  }

  /**
   * @param {import('../..').Bytes} key
   * @param {{ snapshot?: Snapshot }} [options]
   * @returns {boolean}
   */
  has (key, options) {
    checkNames(options, 'map.has()')
    if (options?.snapshot === undefined) {
      const change = this.#changed?.find(key)
      return change === undefined ? binding.has(this.#pool, this.#number, key) : change.value !== undefined
    }
    return binding.has(this.#pool, this.#number, key, Snapshot.handleOf(options.snapshot))
  }

  /**
   * @param {import('../..').Bytes[]} keys
   * @param {{ snapshot?: Snapshot }} [options]
   * @returns {boolean[]}
   */
  hasMany (keys, options) {
    checkNames(options, 'map.hasMany()')
    const snapshot = Snapshot.handleOf(options?.snapshot)
    const found = this.#many(binding.hasMany, keys, snapshot, false, (/** @type {boolean[]} */ page) => page)
    return this.#amend(found, keys, snapshot, change => change.value !== undefined)
  }

  /**
   * Brings what was read in line with the transaction under way.
   *
   * @template T
   * @param {T[]} found
   * @param {import('../..').Bytes[]} keys
   * @param {unknown} snapshot handle, or undefined
   * @param {(change: import('../objects/heap/map-changes').Change) => T} read
   * @returns {T[]}
   */
  #amend (found, keys, snapshot, read) {
    const changes = this.#changed
    if (changes === undefined || snapshot !== undefined) return found
    for (let i = 0; i < keys.length; i++) {
      const change = changes.find(keys[i])
      if (change !== undefined) found[i] = read(change)
    }
    return found
  }

  /** Changes of the transaction under way; undefined where there are none. */
  get #changed () { return this.#changes !== undefined && this.#changes.size > 0 ? this.#changes : undefined }

  get #inTransaction () { return this.#session.heap !== undefined && this.#session.heap.inTransaction }

  /** @param {unknown[]} pairs flat: key, and value or undefined to delete */
  #join (pairs) {
    this.#changes ??= new MapChanges(this.#number, this.#name, /** @type {import('../objects/heap/heap').Heap} */ (this.#session.heap).transaction)
    this.#changes.add(pairs)
  }

  #refuseInTransaction () {
    if (this.#inTransaction) throw inTransaction('In a transaction, maps are changed by put, del, batch and write')
  }

  /**
   * Calls the addon with keys as arguments; where they are too many, several times.
   *
   * @template Page, T
   * @param {(...words: any[]) => Page} read of the addon
   * @param {import('../..').Bytes[]} keys
   * @param {unknown} snapshot handle, or undefined
   * @param {boolean} pieces
   * @param {(page: Page) => T[]} unpack
   * @returns {T[]}
   */
  #many (read, keys, snapshot, pieces, unpack) {
    if (!Array.isArray(keys)) throw new TypeError('The keys must be an array')
    if (keys.length <= MOST_KEYS) return unpack(read(this.#pool, this.#number, snapshot, pieces, ...keys))
    // All from one state.
    const own = snapshot === undefined ? binding.takeSnapshot(this.#pool) : undefined
    try {
      const found = []
      for (let from = 0; from < keys.length; from += MOST_KEYS) {
        const some = keys.slice(from, from + MOST_KEYS)
        for (const element of unpack(read(this.#pool, this.#number, snapshot ?? own, pieces, ...some))) found.push(element)
      }
      return found
    } finally {
      if (own !== undefined) binding.closeSnapshot(own)
    }
  }

  /**
   * @param {import('../..').Bytes} key
   * @param {import('../..').Bytes} value
   */
  put (key, value) {
    if (this.#inTransaction) this.#join([key, checkValue(value)])
    else binding.put(this.#pool, this.#number, key, value)
  }

  /**
   * @param {import('../..').Bytes} key
   * @param {import('../..').Bytes} value
   * @returns {Promise<void> | undefined}
   */
  putAsync (key, value) {
    this.#refuseInTransaction()
    return binding.putAsync(this.#pool, this.#number, key, value)
  }

  /** @param {import('../..').Bytes} key */
  del (key) {
    if (this.#inTransaction) this.#join([key, undefined])
    else binding.del(this.#pool, this.#number, key)
  }

  /**
   * @param {import('../..').Bytes} key
   * @returns {Promise<void> | undefined}
   */
  delAsync (key) {
    this.#refuseInTransaction()
    return binding.delAsync(this.#pool, this.#number, key)
  }

  /** @param {unknown[]} operations flat: 'put' | 'del', key, value (undefined for 'del') */
  batch (operations) {
    const few = isFew(operations)
    if (this.#inTransaction) this.#join(pairsOf(operations))
    else if (few) binding.writeFew(this.#pool, this.#number, ...pairsOf(operations))
    else binding.write(this.#pool, triplesOf(operations, this.#number), 0)
  }

  /**
   * @param {unknown[]} operations as batch()'s
   * @param {{ kept?: 'half' | 'all' }} [options]
   * @returns {Promise<void> | undefined}
   */
  batchAsync (operations, { kept } = {}) {
    this.#refuseInTransaction()
    if (kept !== undefined) return binding.writeAsync(this.#pool, triplesOf(operations, this.#number), roomOf(kept))
    return isFew(operations)
      ? binding.writeFewAsync(this.#pool, this.#number, ...pairsOf(operations))
      : binding.writeAsync(this.#pool, triplesOf(operations, this.#number), 0)
  }

  /** Begins a batch of very many operations, which is put together bit by bit. */
  gather () {
    return new GatheredBatch((bytes, { kept } = {}) => {
      this.#refuseInTransaction()
      return binding.writeGatheredAsync(this.#pool, this.#number, bytes, kept === undefined ? 0 : roomOf(kept))
    })
  }

  /** @param {import('../..').ClearOptions} [options] */
  clear (options = {}) {
    checkNames(options, 'map.clear()')
    this.#refuseInTransaction()
    const { flags, lower, upper, limit, snapshot } = rangeOf(options)
    binding.clear(this.#pool, this.#number, flags, lower, upper, limit, snapshot)
  }

  /**
   * @param {import('../..').ClearOptions} [options]
   * @returns {Promise<void> | undefined}
   */
  clearAsync (options = {}) {
    checkNames(options, 'map.clearAsync()')
    this.#refuseInTransaction()
    const { flags, lower, upper, limit, snapshot } = rangeOf(options)
    return binding.clearAsync(this.#pool, this.#number, flags, lower, upper, limit, snapshot)
  }

  /**
   * Counts the entries of a range, in logarithmic time.
   *
   * @param {import('../..').Range & { snapshot?: Snapshot }} [options]
   * @returns {number | undefined}
   */
  count (options = {}) {
    checkCounting(options)
    const { flags, lower, upper, snapshot } = rangeOf(options)
    if (this.#changed !== undefined && snapshot === undefined) throw inTransaction('The entries of a map cannot be counted in the transaction that changes it')
    return binding.count(this.#pool, this.#number, flags, lower, upper, snapshot)
  }

  /** @param {import('../..').IteratorOptions} [options] */
  iterator (options = {}) {
    checkIterating(options)
    if (this.#changed !== undefined && options.snapshot === undefined) throw inTransaction('A map cannot be iterated in the transaction that changes it')
    return new Iterator(this.#pool, this.#number, options)
  }

  /**
   * @param {OrderedMap} map
   * @param {number} number
   * @returns {boolean} whether it is the map's
   */
  static isNumber (map, number) { return map.#number === number }

  /**
   * @param {unknown} map
   * @param {unknown} pool handle
   * @returns {number}
   */
  static numberOf (map, pool) {
    if (typeof map === 'object' && map !== null && #number in map && map.#pool === pool) return map.#number
    throw new TypeError('The map must be an OrderedMap of this pool')
  }

  /**
   * Lets the transaction under way do an operation; to be checked before.
   *
   * @param {OrderedMap} map
   * @param {unknown[]} pairs flat: key, and value or undefined to delete
   */
  static join (map, pairs) { map.#join(pairs) }
}

/** @param {ArrayBuffer} page @param {import('./slab').Make} make */
function cut (page, make) {
  const pieces = new Pieces(page)
  const values = new Array(pieces.count)
  for (let i = 0; i < values.length; i++) values[i] = pieces.next(make)
  return values
}

/** @param {string} message */
function inTransaction (message) {
  return createError('PMEMOBJ_IN_TRANSACTION', message)
}

module.exports = { OrderedMap }
