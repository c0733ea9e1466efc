'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { MOST, shardNames } = require('./shard-names')

/**
 * A database of several shards. All of them, and the whole, have one instance id.
 *
 * @typedef {{ name: string, q: number, partitioned: boolean, instanceId: string, createdAt: number, shards: string[] }} ShardedDatabase
 */

/** The databases that are made of shards, by name. */
class ShardCatalogue {
  /** @type {Map<string, ShardedDatabase>} */
  #databases = new Map()
  /** Grows with each change. */
  version = 0

  /** @param {string} name */
  get (name) { return this.#databases.get(name) }

  /** @param {string} name */
  has (name) { return this.#databases.has(name) }

  names () { return [...this.#databases.keys()] }

  /** @param {ShardedDatabase} database */
  add (database) {
    this.#databases.set(database.name, database)
    this.version++
  }

  /** @param {string} name */
  remove (name) { if (this.#databases.delete(name)) this.version++ }

  /** Takes what is stored in place of all that it knows. @param {Array<[name: string, text: string]>} entries */
  replace (entries) {
    const names = new Set(entries.map(([name]) => name))
    for (const name of this.names()) if (!names.has(name)) this.remove(name)
    for (const [name, text] of entries) this.load(name, text)
  }

  /** Adds what is stored, unless it is known. @param {string} name @param {string} text */
  load (name, text) {
    const known = this.get(name)
    if (known !== undefined && stored(known) === text) return
    const { q, partitioned = false, instanceId, createdAt } = JSON.parse(text)
    this.add({ name, q, partitioned, instanceId, createdAt, shards: shardNames(name, q) })
  }
}

/** @param {string} name @param {number} q @param {boolean} partitioned @returns {ShardedDatabase} one that is to be made */
function newShardedDatabase (name, q, partitioned) {
  if (!Number.isSafeInteger(q) || q < 2 || q > MOST) throw createError('BAD_REQUEST', { reason: `A database has 1 to ${MOST} shards` })
  return { name, q, partitioned, instanceId: crypto.randomBytes(16).toString('hex'), createdAt: Date.now(), shards: shardNames(name, q) }
}

/** @param {ShardedDatabase} database @returns {string} what is stored */
function stored ({ q, partitioned, instanceId, createdAt }) {
  return JSON.stringify({ q, ...(partitioned && { partitioned }), instanceId, createdAt })
}

module.exports = { ShardCatalogue, newShardedDatabase, stored }
