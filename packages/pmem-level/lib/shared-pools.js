'use strict'

const fs = require('node:fs')
const { Pool } = require('pmemobj')

/** @typedef {{ pool: Pool, users: number, identity: string | undefined }} Entry */

/**
 * The pools that this thread's databases have open. A thread opens a pool once, and several
 * databases may have a map each of it. The last one that leaves closes it.
 */
class SharedPools {
  /** By identity. @type {Map<string | undefined, Entry>} */
  #open = new Map()

  /**
   * Opens a map of a pool for one database. The map is not dropped meanwhile.
   *
   * @param {string} location
   * @param {string} name of the map
   * @param {import('pmemobj').OpenOptions & { writer?: boolean }} options of the pool, where it is not open yet
   * @returns {{ pool: Pool, map: import('pmemobj').OrderedMap, leave: () => void }}
   * @throws PMEMOBJ_IN_USE where a database of this thread has the map
   */
  join (location, name, { writer, ...options }) {
    const entry = this.#enter(location, options)
    try {
      const { pool, map, leave } = holdMap(entry.pool, name, { writer, ...options })
      return {
        pool,
        map,
        leave: () => {
          leave()
          this.#leave(entry)
        }
      }
    } catch (error) {
      this.#leave(entry)
      throw error
    }
  }

  /**
   * Drops a map that no database has open. Its entries are cleared on another thread first, because
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
   * @param {string} location
   * @param {import('pmemobj').OpenOptions} options
   */
  #enter (location, options) {
    const known = this.#open.get(identityOf(location))
    if (known === undefined) return this.#first(location, options)
    known.pool.admit(options)
    known.users++
    return known
  }

  /** @param {string} location @param {import('pmemobj').OpenOptions} options */
  #first (location, options) {
    const pool = Pool.open(location, { ...options, errorIfExists: false })
    const entry = { pool, users: 1, identity: identityOf(location) }
    this.#open.set(entry.identity, entry)
    return entry
  }

  /** @param {Entry} entry */
  #leave (entry) {
    if (--entry.users > 0) return
    this.#open.delete(entry.identity)
    entry.pool.close()
  }
}

/**
 * Takes a map of an open pool for one database.
 *
 * @param {Pool} pool
 * @param {string} name
 * @param {import('pmemobj').OpenOptions & { writer?: boolean }} options
 * @returns {{ pool: Pool, map: import('pmemobj').OrderedMap, leave: () => void }}
 * @throws PMEMOBJ_IN_USE where a database of this thread has the map, or another thread's writer where this is to be one
 */
function holdMap (pool, name, { writer, ...options }) {
  checkMap(pool, name, options)
  const map = pool.hold(name, { writer })
  return { pool, map, leave: () => pool.release(name) }
}

/**
 * The same for all names of a file or folder.
 *
 * @param {string} location
 */
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

/**
 * In pmemobj's form.
 *
 * @param {string} code
 * @param {string} message
 */
function failure (code, message) {
  return Object.assign(new Error(message), { code })
}

module.exports = { SharedPools, holdMap }
