'use strict'

const { mkdir } = require('node:fs/promises')
const path = require('node:path')
const { AbstractLevel } = require('abstract-level')
const { Pool } = require('pmemobj')
const { ChainedBatch } = require('./chained-batch')
const { withLevelErrors } = require('./backup-stream')
const { legacyError } = require('./leveldown')
const { manifest } = require('./manifest')
const { hasOptions, readOptions } = require('./read-options')
const { SharedPools, holdMap } = require('./shared-pools')
const { EntryIterator, KeyIterator, ValueIterator } = require('./iterators')
const { PmemSnapshot } = require('./snapshot')
const { withWeakResources } = require('./weak-resources')
const { attempt, rethrow, toLevelError } = require('./errors')

const MAP = 'level'

/** Entries that cross in one go. */
const PAGE = 1000

const pools = new SharedPools()

// Most promises only say what abstract-level asks for: the work is done when they are made.
const DONE = Promise.resolve()

const NO_OPTIONS = Object.freeze({})

/**
 * @typedef {import('pmemobj').Bytes} Bytes
 * @typedef {import('./read-options').ReadOptions} ReadOptions
 * @typedef {{ type: 'put' | 'del', key: Bytes, value?: Bytes }} Operation
 */

/**
 * An abstract-level database in a pool of libpmemobj. Every write is durable when its promise
 * resolves. Errors have abstract-level's codes, with pmemobj's error as their `cause`.
 */
class PmemLevel extends withWeakResources(AbstractLevel) {
  #location
  /** The pool that it was made with: others have it, too. @type {Pool | undefined} */
  #given
  /** @type {import('pmemobj').Pool | null} */
  #pool = null
  /** Set while it is open. @type {import('pmemobj').OrderedMap} */
  #map = /** @type {any} */ (undefined)
  #mapName
  #leave = () => {}
  #relaxed = false
  /** The last write that was not done at once; those before it are done before it. */
  #waiting = DONE

  /**
   * @param {string | Pool} location a folder, or with `maxSize: 0` a file; or a pool that the caller has open, and closes
   * @param {import('..').PmemLevelOptions<any, any>} [options]
   */
  constructor (location, options) {
    const pool = location instanceof Pool ? location : undefined
    const path = pool?.path ?? location
    if (typeof path !== 'string' || path === '') {
      throw new TypeError("The first argument 'location' must be a non-empty string, or a Pool")
    }
    super(manifest, options)
    this.#location = path
    this.#given = pool
    this.#mapName = checkMap(options?.map)
  }

  get location () { return this.#location }

  /** The pool's map that the database is in. */
  get map () { return this.#mapName }

  /** Reads have done their work when they return: `getSync` costs less than a `get` that waits. */
  get synchronous () { return true }

  /** Sizes of the pool in bytes, and whether it is persistent memory. @returns {import('pmemobj').PoolStats} */
  stats () {
    return attempt(() => this.#opened().stats())
  }

  /**
   * Gives the file system the space that the pool does not need.
   *
   * @returns {Promise<import('pmemobj').CompactSummary>}
   */
  async compact () {
    const pool = this.#opened()
    return pool.compact().catch(rethrow)
  }

  /**
   * Verifies the checksums of the pool again, step by step.
   *
   * @param {{ map: Buffer, key: Buffer }} [from] where the step before has ended
   * @param {number} [bytes]
   * @returns {Promise<import('pmemobj').ScrubStep>}
   */
  async scrub (from, bytes) {
    const pool = this.#opened()
    return pool.scrub(from, bytes).catch(rethrow)
  }

  /**
   * From now on the pool, which is encrypted, opens with that key instead of the one before.
   *
   * @param {Uint8Array} key 32 bytes
   */
  async rotateKey (key) {
    const pool = this.#opened()
    attempt(() => pool.rotateKey(key))
  }

  /** Makes all writes so far durable, those of a relaxed database too. */
  async flush () {
    const pool = this.#opened()
    return this.#settle(attempt(() => pool.flushAsync()))
  }

  /**
   * Removes the pool's files, or drops one database of it; what does not exist is fine.
   *
   * @param {string} location
   * @param {import('..').PmemLevelDestroyOptions} [options]
   */
  static async destroy (location, { map, ifEmpty, key } = {}) {
    try {
      if (map === undefined) Pool.destroy(location, { ifEmpty, key })
      else await pools.drop(location, checkMap(map), key)
    } catch (error) {
      if (error.code !== 'PMEMOBJ_NOT_FOUND') throw toLevelError(error)
    }
  }

  /**
   * Makes a database of a backup, all of it or nothing. There must be none.
   *
   * @param {string} location
   * @param {import('pmemobj').ByteSource} source stream of bytes
   * @param {import('pmemobj').RestoreOptions} [options]
   */
  static async restore (location, source, options) {
    return Pool.restore(location, source, options).catch(rethrow)
  }

  /**
   * A backup of the database as it is now, or in an explicit snapshot, as a stream of bytes. Writes
   * may go on.
   *
   * @param {import('..').PmemLevelBackupOptions} [options]
   */
  backup ({ snapshot, ...options } = {}) {
    const inner = PmemSnapshot.inner(snapshot)
    return withLevelErrors(attempt(() => this.#opened().backup({ ...options, snapshot: inner, map: this.#mapName, as: MAP })))
  }

  /**
   * levelup would wait for its callback for ever.
   *
   * @param {any[]} args
   */
  open (...args) {
    if (typeof args.at(-1) === 'function') throw legacyError()
    return super.open(...args)
  }

  /** @param {import('..').PmemLevelOpenOptions} options */
  async _open (options) {
    const { writer, createIfMissing, errorIfExists, size, maxSize, durability, key, readOnly = false } = options
    if (this.#given !== undefined) return this.#openIn(this.#given, { writer, createIfMissing, errorIfExists })
    if (readOnly) return this.#openToRead(key)
    if (createIfMissing) await mkdir(path.dirname(path.resolve(this.#location)), { recursive: true })
    this.#use(attempt(() =>
      pools.join(this.#location, this.#mapName, { writer, createIfMissing, errorIfExists, size, maxSize, durability, key })))
  }

  /**
   * Opens a map of a pool that somebody else closes.
   *
   * @param {Pool} pool
   * @param {{ writer?: boolean, createIfMissing?: boolean, errorIfExists?: boolean }} options
   */
  #openIn (pool, options) {
    this.#use(attempt(() => holdMap(pool, this.#mapName, options)))
  }

  /** @param {{ pool: Pool, map: import('pmemobj').OrderedMap, leave: () => void }} joined */
  #use ({ pool, map, leave }) {
    this.#map = map
    this.#leave = leave
    this.#relaxed = pool.durability === 'relaxed'
    this.#pool = pool
  }

  /**
   * Nothing of it is shared: it stands by itself, beside those who write.
   *
   * @param {Uint8Array | undefined} key
   */
  #openToRead (key) {
    const pool = attempt(() => Pool.open(this.#location, { readOnly: true, key }))
    try {
      this.#map = attempt(() => pool.map(this.#mapName))
    } catch (error) {
      pool.close()
      throw error
    }
    this.#leave = () => pool.close()
    this.#relaxed = false
    this.#pool = pool
  }

  async _close () {
    // By itself the pool would wait for it, and nothing else could go on.
    await this.#waiting.catch(() => {})
    this.#waiting = DONE
    if (this.#pool === null) return
    try {
      // The pool may stay open for others.
      if (this.#relaxed) await this.flush()
    } finally {
      this.#pool = null
      attempt(() => this.#leave())
    }
  }

  /** @param {Bytes} key @param {ReadOptions} options */
  _getSync (key, options) {
    try {
      return this.#map.get(key, readOptions(options, options.valueEncoding))
    } catch (error) {
      throw toLevelError(error)
    }
  }

  /** @param {Bytes} key @param {ReadOptions} options */
  _get (key, options) {
    try {
      return Promise.resolve(this.#map.get(key, readOptions(options, options.valueEncoding)))
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  /** @param {Bytes[]} keys @param {ReadOptions} options */
  async _getMany (keys, options) {
    return attempt(() => this.#map.getMany(keys, readOptions(options, options.valueEncoding)))
  }

  /** @param {Bytes} key @param {ReadOptions} options */
  async _has (key, options) {
    return attempt(() => this.#map.has(key, hasOptions(options)))
  }

  /** @param {Bytes[]} keys @param {ReadOptions} options */
  async _hasMany (keys, options) {
    return attempt(() => this.#map.hasMany(keys, hasOptions(options)))
  }

  /** @param {Bytes} key @param {Bytes} value @param {object} options */
  _put (key, value, options) {
    return this.#attempt(() => this.#map.putAsync(key, value))
  }

  /** @param {Bytes} key @param {object} options */
  _del (key, options) {
    return this.#attempt(() => this.#map.delAsync(key))
  }

  /** @param {Operation[]} operations @param {import('pmemobj').BatchOptions} options */
  _batch (operations, options) {
    return this.#attempt(() => this.#map.batchAsync(flatten(operations), options))
  }

  _chainedBatch () { return new ChainedBatch(this, this.#map.gather(), write => this.#attempt(write)) }

  /** @param {any} options */
  async _clear (options) {
    const { gt, gte, lt, lte, reverse, limit, snapshot } = options
    return this.#settle(attempt(() => this.#map.clearAsync({ gt, gte, lt, lte, reverse, limit, snapshot: PmemSnapshot.inner(snapshot) })))
  }

  /** @param {() => Promise<void> | undefined} write */
  #attempt (write) {
    try {
      return this.#settle(write())
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  /** @param {Promise<void> | undefined} written undefined where it is done already */
  #settle (written) {
    if (written === undefined) return DONE
    this.#waiting = written.catch(rethrow)
    return this.#waiting
  }

  /**
   * Counts the entries of a range, in logarithmic time; undefined where the pool does not tell.
   *
   * @param {import('..').PmemLevelCountOptions} [options]
   * @returns {number | undefined}
   */
  count ({ gt, gte, lt, lte, snapshot } = {}) {
    this.#opened()
    return attempt(() => this.#map.count({ gt, gte, lt, lte, snapshot: PmemSnapshot.inner(snapshot) }))
  }

  /**
   * Reads a range at once, as `getSync` reads a key.
   *
   * @param {import('..').PmemLevelRangeOptions} [options]
   * @returns {Array<[string, string]>}
   */
  entriesSync ({ gt, gte, lt, lte, reverse, limit, snapshot } = {}) {
    this.#opened()
    const iterator = attempt(() => this.#map.iterator({ gt, gte, lt, lte, reverse, limit, snapshot: PmemSnapshot.inner(snapshot) }))
    try {
      return attempt(() => allOf(iterator))
    } finally {
      iterator.close()
    }
  }

  /**
   * Writes a batch of text and bytes as they are, which costs a tenth less of the whole: no operation is copied to be encoded, and neither
   * hooks nor listeners of `write` are told.
   *
   * @param {Operation[]} operations
   * @param {import('pmemobj').BatchOptions} [options]
   * @returns {Promise<void> | undefined} undefined where it is done already
   */
  writeBatch (operations, options) {
    this.#opened()
    if (operations.length === 0) return undefined
    const written = attempt(() => this.#map.batchAsync(flatten(operations), options ?? NO_OPTIONS))
    return written === undefined ? undefined : this.#settle(written)
  }

  /** @param {any} options */
  _iterator (options) {
    return new EntryIterator(this, this.#map, options)
  }

  /** @param {any} options */
  _keys (options) {
    return new KeyIterator(this, this.#map, options)
  }

  /** @param {any} options */
  _values (options) {
    return new ValueIterator(this, this.#map, options)
  }

  /** @param {any} options */
  _snapshot (options) {
    return attempt(() => new PmemSnapshot(this.#opened(), options))
  }

  #opened () {
    if (this.#pool !== null) return this.#pool
    throw Object.assign(new Error('Database is not open'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
  }
}

/** @param {Operation[]} operations */
function flatten (operations) {
  const flat = new Array(operations.length * 3)
  let to = 0
  for (const operation of operations) {
    flat[to++] = operation.type
    flat[to++] = operation.key
    flat[to++] = operation.value
  }
  return flat
}

/** @param {ReturnType<import('pmemobj').OrderedMap['iterator']>} iterator of strings */
function allOf (iterator) {
  /** @type {Array<[string, string]>} */
  const entries = []
  for (;;) {
    const flat = /** @type {string[]} */ (iterator.nextv(PAGE))
    if (flat.length === 0) return entries
    for (let i = 0; i < flat.length; i += 2) entries.push([flat[i], flat[i + 1]])
  }
}

function checkMap (map = MAP) {
  if (typeof map === 'string' && map !== '') return map
  throw new TypeError("The option 'map' must be a non-empty string")
}

module.exports = { PmemLevel }
