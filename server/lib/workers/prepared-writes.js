'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { isPlain } = require('../databases/plain-database')
const { unlessDeleted } = require('../dispatch/deletion-error')
const { rulesOf } = require('../functions/validation')

/**
 * @typedef {import('@potoroo/document-store').PreparedWrite} PreparedWrite
 * @typedef {import('@potoroo/document-store').PreparedResult} PreparedResult
 * @typedef {{ code: string, reason: string } | { text: string }} Failure
 */

/** How long a thread passes the writes of a database on after one could not be committed as it was prepared, milliseconds. */
const PAUSE = 1000

/** Has the owner commit the writes that a thread has prepared. It is told of no more requests than it has to be. */
class CommitClient {
  #channel
  #next = 0
  /** @type {Map<number, { name: string, resolve: (results: PreparedResult[] | null) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** Database → until when its writes are passed on. @type {Map<string, number>} */
  #paused = new Map()

  /** @param {{ send: (message: any[]) => void }} channel to the owner */
  constructor (channel) { this.#channel = channel }

  /** @param {PreparedWrite} write @returns {Promise<PreparedResult[] | null>} null: it has to be passed on, and nothing was written */
  commit ({ name, instanceId, user, edits }) {
    if (this.#isPaused(name)) return Promise.resolve(null)
    const id = this.#next++
    this.#channel.send(['write', id, name, instanceId, user, edits])
    return new Promise((resolve, reject) => this.#waiting.set(id, { name, resolve, reject }))
  }

  /** @param {string} name */
  #isPaused (name) {
    const until = this.#paused.get(name)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#paused.delete(name)
    return false
  }

  /** A message of the owner's. @param {number} id @param {PreparedResult[] | null} results @param {Failure} [failure] */
  receive (id, results, failure) {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    if (failure !== undefined) return waiting.reject(errorOf(failure))
    if (results === null) this.#paused.set(waiting.name, performance.now() + PAUSE)
    waiting.resolve(results)
  }
}

/** Commits what a thread has prepared, if nothing is asked before a write to that database: see ValidationPolicy. */
class PreparedWrites {
  #channel
  #service

  /** @param {{ sendSoon: (message: any[]) => void }} channel to the thread: a group that is committed gets its results at once @param {import('../service/service').Service} service */
  constructor (channel, service) {
    this.#channel = channel
    this.#service = service
  }

  /** A message of the thread's. @param {number} id @param {string} name @param {string} instanceId @param {string | null} user @param {string[]} edits */
  async receive (id, name, instanceId, user, edits) {
    try {
      const results = await this.#write({ name, instanceId, user, edits })
      this.#channel.sendSoon(['written', id, results])
    } catch (error) {
      this.#channel.sendSoon(['written', id, null, failureOf(error)])
    }
  }

  /** @param {PreparedWrite} write */
  async #write (write) {
    const { databases, users } = this.#service
    if (!isPlain(write.name, users) || databases.sharded(write.name) !== undefined) return null
    const store = await databases.get(write.name)
    try {
      const { functions, schemas } = await rulesOf(store)
      return functions.length > 0 || schemas.length > 0 ? null : await store.writePrepared(write)
    } catch (error) {
      // The thread does not know of a deletion that goes on.
      throw await unlessDeleted({ params: { db: write.name }, service: this.#service, database: store }, error)
    }
  }
}

/** @param {any} error @returns {Failure} */
function failureOf (error) {
  return error instanceof CouchError && error.code !== 'INTERNAL' ? { code: error.code, reason: error.reason } : { text: String(error?.stack ?? error) }
}

/** @param {Failure} failure */
function errorOf (failure) {
  if ('code' in failure) return createError(failure.code, { reason: failure.reason })
  return Object.assign(new Error('The owner of the databases failed'), { stack: failure.text })
}

module.exports = { CommitClient, PreparedWrites }
