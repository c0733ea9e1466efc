'use strict'

const fs = require('node:fs')
const { Pool } = require('pmemobj')

/**
 * The pools that this thread's databases have open. A thread opens a pool once, and several
 * databases may have a map each of it. The last one that leaves closes it.
 */
class SharedPools {
  /** identity → `{ pool, durability, key, users }` */
  #open = new Map()

  /**
   * Opens a map of a pool for one database. Nobody drops the map meanwhile.
   *
   * @param {string} location
   * @param {string} name of the map
   * @param {import('pmemobj').OpenOptions} options of the pool, where it is not open yet
   * @returns {{ pool: Pool, map: import('pmemobj').OrderedMap, leave: () => void }}
   * @throws PMEMOBJ_IN_USE where a database of this thread has the map
   */
  join (location, name, options) {
    const entry = this.#enter(location, options)
    try {
      checkMap(entry.pool, name, options)
      const map = entry.pool.hold(name)
      const leave = () => {
        entry.pool.release(name)
        this.#leave(entry)
      }
      return { pool: entry.pool, map, leave }
    } catch (error) {
      this.#leave(entry)
      throw error
    }
  }

  /**
   * Drops a map that no database has open. What it holds is cleared on another thread first, because
   * that may take its time.
   *
   * @param {string} location
   * @param {string} name
   * @param {Uint8Array} [key]
   */
  async drop (location, name, key) {
    const entry = this.#enter(location, { createIfMissing: false, key })
    try {
      if (!entry.pool.maps().includes(name)) return
      const map = entry.pool.hold(name, { alone: true })
      try {
        await map.clearAsync({})
        entry.pool.dropMap(name)
      } finally {
        entry.pool.release(name)
      }
    } finally {
      this.#leave(entry)
    }
  }

  /**
   * @param {Pool} pool that a database of this thread has open
   * @param {Uint8Array} key
   */
  rotateKey (pool, key) {
    pool.rotateKey(key)
    for (const entry of this.#open.values()) if (entry.pool === pool) entry.key = Buffer.from(key)
  }

  /**
   * @param {string} location
   * @param {import('pmemobj').OpenOptions} options
   */
  #enter (location, options) {
    const { durability } = options
    const known = this.#open.get(identityOf(location))
    if (known === undefined) return this.#first(location, options)
    if (durability !== undefined && durability !== known.durability) {
      throw failure('PMEMOBJ_INVALID', `${location}: other databases have it with another durability`)
    }
    refuseKey(location, options.key, known.key)
    known.users++
    return known
  }

  #first (location, options) {
    const { durability = 'strict' } = options
    const pool = Pool.open(location, { ...options, errorIfExists: false })
    const entry = { pool, durability, key: options.key && Buffer.from(options.key), users: 1, identity: identityOf(location) }
    this.#open.set(entry.identity, entry)
    return entry
  }

  #leave (entry) {
    if (--entry.users > 0) return
    this.#open.delete(entry.identity)
    entry.pool.close()
  }
}

/** As the pool itself would, were it opened once more. */
function refuseKey (location, key, known) {
  if (known === undefined && key !== undefined) throw failure('PMEMOBJ_NOT_ENCRYPTED', `${location}: the pool is not encrypted`)
  if (known !== undefined && key === undefined) throw failure('PMEMOBJ_KEY_NEEDED', `${location}: the pool is encrypted: a key is needed`)
  if (known !== undefined && !known.equals(key)) throw failure('PMEMOBJ_WRONG_KEY', `${location}: the pool is encrypted with another key`)
}

/** The same for all names of a file or folder. */
function identityOf (location) {
  const info = fs.statSync(location, { bigint: true, throwIfNoEntry: false })
  return info && `${info.dev} ${info.ino}`
}

/**
 * @param {Pool} pool
 * @param {string} name
 * @param {import('pmemobj').OpenOptions} options
 */
function checkMap (pool, name, { createIfMissing, errorIfExists }) {
  if (createIfMissing && !errorIfExists) return
  const there = pool.maps().includes(name)
  if (there && errorIfExists) throw failure('PMEMOBJ_EXISTS', `The map ${JSON.stringify(name)} of ${pool.path} exists already`)
  if (!there && !createIfMissing) throw failure('PMEMOBJ_NOT_FOUND', `${pool.path} has no map ${JSON.stringify(name)}`)
}

/** In pmemobj's form. */
function failure (code, message) {
  return Object.assign(new Error(message), { code })
}

module.exports = { SharedPools }
