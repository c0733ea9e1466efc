'use strict'

const { DatabaseReaders } = require('@potoroo/document-store')
const { ReadSecurity } = require('../databases/read-security')
const { STORE_OPTIONS } = require('../databases/store-options')
const { OwnerOnlyError, withoutOwners } = require('./owner-only-error')

/** @typedef {import('../service/request-service').RequestDatabases} RequestDatabases */

/** The members of ServerDatabases that only the owner has. */
const OWNERS = /** @type {const} */ (['cluster', 'create', 'destroy', 'isShared', 'list', 'make', 'onSecurity', 'opened', 'prepare', 'put', 'readable', 'setSecurity', 'take', 'users'])

/**
 * The databases of the server as a thread reads them, and prepares what is written to them, and their security objects.
 *
 * @implements {RequestDatabases}
 */
class ThreadDatabases extends withoutOwners(OWNERS) {
  #readers
  #security = new ReadSecurity()
  #isPlain

  /**
   * @param {any} level the pool that the owner has open
   * @param {(name: string) => boolean} isPlain whether a thread may answer of a database
   * @param {import('@potoroo/document-store').CommitPrepared} [commit] has the owner commit a write
   */
  constructor (level, isPlain, commit) {
    super()
    this.#isPlain = isPlain
    this.#readers = new DatabaseReaders(level, { ...STORE_OPTIONS, commit })
  }

  /** @param {string} name @throws OwnerOnlyError */
  has (name) {
    try {
      return this.get(name) !== undefined
    } catch (error) {
      if (error.code !== 'NO_DATABASE') throw error
      return false
    }
  }

  /**
   * @param {string} name
   * @returns {any} a DocumentReader: the part of a DocumentStore that reading takes
   * @throws not_found; OwnerOnlyError
   */
  get (name) {
    if (!this.#isPlain(name)) throw new OwnerOnlyError(`database ${name}`)
    return this.reader(name)
  }

  /** Nothing is deleted in a thread. @param {string} name */
  async settled (name) {}

  /** A database of several shards is the owner's. @param {string} name @returns {undefined} */
  sharded (name) { return undefined }

  /** Any database. @param {string} name @throws not_found; OwnerOnlyError */
  reader (name) {
    const reader = this.#readers.get(name)
    if (reader === null) throw new OwnerOnlyError(`database ${name}`)
    return reader
  }

  /** @param {any} reader a DocumentReader */
  security (reader) { return this.#security.of(reader) }

  close () { return this.#readers.close() }
}

module.exports = { ThreadDatabases }
