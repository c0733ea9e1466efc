'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { Iterator } = require('./iterator')
const { MapChanges } = require('../objects/map-changes')
const { Snapshot } = require('./snapshot')
const { makers, reserve, take, Pieces } = require('./slab')
const { checkEncoding, rangeOf } = require('../pool/options')

// Operations that go as arguments; more go as an array, which costs more for each.
const MOST_FEW = 1000
const MOST_KEYS = 1000

/**
 * What a pool has in common with its maps.
 *
 * @typedef {{ heap: import('../objects/heap').Heap | undefined }} Session `heap` once there are objects
 */
/** @type {Session} */
const NO_SESSION = Object.freeze({ heap: undefined })

/**
 * A durable map ordered by the bytes of its keys (strings count as their UTF-8).
 *
 * What ends in Async never makes its thread wait: where it would have to, for the disk or for a
 * big write, it gives a promise. Otherwise all is done, or an error thrown, when it returns.
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
    const encoding = checkEncoding(options?.encoding)
    if (options?.snapshot === undefined) {
      const change = this.#isChanged ? this.#changes.find(key) : undefined
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
    const encoding = checkEncoding(options?.encoding)
    const snapshot = Snapshot.handleOf(options?.snapshot)
    const values = encoding === 'utf8'
      ? this.#many(binding.getMany, keys, snapshot, false, page => page)
      : this.#many(binding.getMany, keys, snapshot, true, page => cut(page, makers[encoding]))
    return this.#amend(values, keys, snapshot, change => MapChanges.valueOf(change, encoding))
  }

  /**
   * @param {import('../..').Bytes} key
   * @param {{ snapshot?: Snapshot }} [options]
   * @returns {boolean}
   */
  has (key, options) {
    if (options?.snapshot === undefined) {
      const change = this.#isChanged ? this.#changes.find(key) : undefined
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
    const snapshot = Snapshot.handleOf(options?.snapshot)
    const found = this.#many(binding.hasMany, keys, snapshot, false, page => page)
    return this.#amend(found, keys, snapshot, change => change.value !== undefined)
  }

  /** Brings what was read in line with the transaction under way. */
  #amend (found, keys, snapshot, read) {
    if (!this.#isChanged || snapshot !== undefined) return found
    for (let i = 0; i < keys.length; i++) {
      const change = this.#changes.find(keys[i])
      if (change !== undefined) found[i] = read(change)
    }
    return found
  }

  get #isChanged () { return this.#changes !== undefined && this.#changes.size > 0 }

  get #inTransaction () { return this.#session.heap !== undefined && this.#session.heap.inTransaction }

  /** @param {unknown[]} pairs flat: key, and value or undefined to delete */
  #join (pairs) {
    this.#changes ??= new MapChanges(this.#number, this.#session.heap.transaction)
    this.#changes.add(pairs)
  }

  #refuseInTransaction () {
    if (this.#inTransaction) throw inTransaction('In a transaction, maps are changed by put, del, batch and write')
  }

  /** Calls the addon with keys as arguments; where they are too many, several times. */
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

  /** @param {import('../..').Range & { reverse?: boolean, limit?: number, snapshot?: Snapshot }} [options] */
  clear (options = {}) {
    this.#refuseInTransaction()
    const { flags, lower, upper, limit, snapshot } = rangeOf(options)
    binding.clear(this.#pool, this.#number, flags, lower, upper, limit, snapshot)
  }

  /**
   * @param {import('../..').Range & { reverse?: boolean, limit?: number, snapshot?: Snapshot }} [options]
   * @returns {Promise<void> | undefined}
   */
  clearAsync (options = {}) {
    this.#refuseInTransaction()
    const { flags, lower, upper, limit, snapshot } = rangeOf(options)
    return binding.clearAsync(this.#pool, this.#number, flags, lower, upper, limit, snapshot)
  }

  /** @param {import('../..').IteratorOptions} [options] */
  iterator (options = {}) {
    if (this.#isChanged && options.snapshot === undefined) throw inTransaction('A map cannot be iterated in the transaction that changes it')
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

  /**
   * The value of an operation as the addon takes it: undefined deletes.
   *
   * @param {unknown} type
   * @param {unknown} value
   */
  static valueOf (type, value) { return valueOf(type, value) }
}

function cut (page, make) {
  const pieces = new Pieces(page)
  const values = new Array(pieces.count)
  for (let i = 0; i < values.length; i++) values[i] = pieces.next(make)
  return values
}

function isFew (operations) {
  if (Array.isArray(operations) && operations.length % 3 === 0) return operations.length <= MOST_FEW * 3
  throw new TypeError('The operations must be an array of three elements each')
}

function pairsOf (operations) {
  const flat = []
  for (let i = 0; i < operations.length; i += 3) {
    flat.push(operations[i + 1], valueOf(operations[i], operations[i + 2]))
  }
  return flat
}

function triplesOf (operations, map) {
  const flat = []
  for (let i = 0; i < operations.length; i += 3) {
    flat.push(map, operations[i + 1], valueOf(operations[i], operations[i + 2]))
  }
  return flat
}

function valueOf (type, value) {
  if (type === 'del') return undefined
  if (type !== 'put') throw new TypeError("The type of an operation must be 'put' or 'del'")
  return checkValue(value)
}

/** Undefined would delete. */
function checkValue (value) {
  if (value === undefined) throw new TypeError('The value must be a string or a Uint8Array')
  return value
}

/** How the addon counts it. */
const ROOMS = { half: 1, all: 2 }

function roomOf (kept) {
  if (Object.hasOwn(ROOMS, kept)) return ROOMS[kept]
  throw new TypeError("The option 'kept' must be 'half' or 'all'")
}

function inTransaction (message) {
  return createError('PMEMOBJ_IN_TRANSACTION', message)
}

module.exports = { OrderedMap, triplesOf }
