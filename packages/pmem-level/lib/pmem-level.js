'use strict'

const { mkdir } = require('node:fs/promises')
const path = require('node:path')
const { Readable } = require('node:stream')
const { AbstractLevel } = require('abstract-level')
const { Pool } = require('pmemobj')
const { EntryIterator, KeyIterator, ValueIterator } = require('./iterators')
const { PmemSnapshot } = require('./snapshot')
const { withWeakResources } = require('./weak-resources')
const { attempt, rethrow, toLevelError } = require('./errors')

const MAP = 'level'

const manifest = {
  encodings: { buffer: true, view: true, utf8: true },
  seek: true,
  has: true,
  getSync: true,
  implicitSnapshots: true,
  explicitSnapshots: true,
  createIfMissing: true,
  errorIfExists: true,
  // Nothing here waits, so there is nothing that a signal could interrupt.
  signals: { iterators: false }
}

// Options of reads from the latest commit, by encoding.
const LATEST = {
  utf8: Object.freeze({ encoding: 'utf8' }),
  buffer: Object.freeze({ encoding: 'buffer' }),
  view: Object.freeze({ encoding: 'view' })
}

const NO_OPTIONS = Object.freeze({})

// Most promises only say what abstract-level asks for: the work is done when they are made.
const DONE = Promise.resolve()

/**
 * An abstract-level database in a pool of libpmemobj. Every write is durable when its promise
 * resolves. Errors have abstract-level's codes, with pmemobj's error as their `cause`.
 */
class PmemLevel extends withWeakResources(AbstractLevel) {
  #location
  /** @type {import('pmemobj').Pool | null} */
  #pool = null
  /** @type {import('pmemobj').OrderedMap} */
  #map
  /** The last write that was not done at once; those before it are done before it. */
  #waiting = DONE

  /**
   * @param {string} location a folder, or with `maxSize: 0` a file
   * @param {import('..').PmemLevelOptions<any, any>} [options]
   */
  constructor (location, options) {
    if (typeof location !== 'string' || location === '') {
      throw new TypeError("The first argument 'location' must be a non-empty string")
    }
    super(manifest, options)
    this.#location = location
  }

  get location () { return this.#location }

  /** Reads have done their work when they return: `getSync` costs less than a `get` that waits. */
  get synchronous () { return true }

  /** Sizes of the pool in bytes, and whether it is persistent memory. @returns {import('pmemobj').PoolStats} */
  stats () {
    return attempt(() => this.#opened().stats())
  }

  /** Makes all writes so far durable, those of a relaxed database too. */
  async flush () {
    const pool = this.#opened()
    return this.#settle(attempt(() => pool.flushAsync()))
  }

  /**
   * Removes the pool's files; one that does not exist is fine.
   *
   * @param {string} location
   */
  static async destroy (location) {
    try {
      Pool.destroy(location)
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
    try {
      return await Pool.restore(location, source, options)
    } catch (error) {
      throw toLevelError(error)
    }
  }

  /**
   * A backup of the database as it is now, or in an explicit snapshot, as a stream of bytes. Writes
   * may go on.
   *
   * @param {import('..').PmemLevelBackupOptions} [options]
   */
  backup ({ snapshot, ...options } = {}) {
    const inner = PmemSnapshot.inner(snapshot)
    return withLevelErrors(attempt(() => this.#opened().backup({ ...options, snapshot: inner })))
  }

  async _open (options) {
    const { createIfMissing, errorIfExists, size, maxSize, durability } = options
    if (createIfMissing) await mkdir(path.dirname(path.resolve(this.#location)), { recursive: true })
    attempt(() => {
      const pool = Pool.open(this.#location, { createIfMissing, errorIfExists, size, maxSize, durability })
      this.#map = pool.map(MAP)
      this.#pool = pool
    })
  }

  async _close () {
    // By itself the pool would wait for it, and nothing else could go on.
    await this.#waiting.catch(() => {})
    this.#waiting = DONE
    this.#opened().close()
    this.#pool = null
  }

  _getSync (key, options) {
    try {
      return this.#map.get(key, readOptions(options, options.valueEncoding))
    } catch (error) {
      throw toLevelError(error)
    }
  }

  _get (key, options) {
    try {
      return Promise.resolve(this.#map.get(key, readOptions(options, options.valueEncoding)))
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  async _getMany (keys, options) {
    return attempt(() => this.#map.getMany(keys, readOptions(options, options.valueEncoding)))
  }

  async _has (key, options) {
    return attempt(() => this.#map.has(key, readOptions(options, 'utf8')))
  }

  async _hasMany (keys, options) {
    return attempt(() => this.#map.hasMany(keys, readOptions(options, 'utf8')))
  }

  _put (key, value, options) {
    try {
      return this.#settle(this.#map.putAsync(key, value))
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  _del (key, options) {
    try {
      return this.#settle(this.#map.delAsync(key))
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  _batch (operations, options) {
    const flat = new Array(operations.length * 3)
    let to = 0
    for (const operation of operations) {
      flat[to++] = operation.type
      flat[to++] = operation.key
      flat[to++] = operation.value
    }
    try {
      return this.#settle(this.#map.batchAsync(flat))
    } catch (error) {
      return Promise.reject(toLevelError(error))
    }
  }

  async _clear (options) {
    const snapshot = PmemSnapshot.inner(options.snapshot)
    return this.#settle(attempt(() => this.#map.clearAsync({ ...options, snapshot })))
  }

  /** @param {Promise<void> | undefined} written undefined where it is done already */
  #settle (written) {
    if (written === undefined) return DONE
    this.#waiting = written.catch(rethrow)
    return this.#waiting
  }

  _iterator (options) {
    return new EntryIterator(this, this.#map, options)
  }

  _keys (options) {
    return new KeyIterator(this, this.#map, options)
  }

  _values (options) {
    return new ValueIterator(this, this.#map, options)
  }

  _snapshot (options) {
    return attempt(() => new PmemSnapshot(this.#opened(), options))
  }

  #opened () {
    if (this.#pool !== null) return this.#pool
    throw Object.assign(new Error('Database is not open'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
  }
}

/** @param {Readable} stream of pmemobj */
function withLevelErrors (stream) {
  async function * chunks () {
    try {
      yield * stream
    } catch (error) {
      throw toLevelError(error)
    }
  }
  const level = Readable.from(chunks(), { objectMode: false })
  // A generator that was never asked for anything does not end what it would have read.
  return level.once('close', () => stream.destroy())
}

function readOptions (options, encoding) {
  if (options.snapshot == null) return LATEST[encoding] ?? NO_OPTIONS
  return { encoding, snapshot: PmemSnapshot.inner(options.snapshot) }
}

module.exports = { PmemLevel }
