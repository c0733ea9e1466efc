'use strict'

const { Keyspace, del, put } = require('../media/keyspace')
const { Layout } = require('../media/layout')
const { pagesOf } = require('../check/pages')

/**
 * @import { Operation, Range } from '../media/keyspace'
 */

/** Operations, and bytes of their values, that are written at once. */
const MOST_OPERATIONS = 1000
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Holds what the steps that mend one database share: reads, which see what was written, and writes, which
 * are gathered into batches.
 */
class Mending {
  /** @type {Operation[]} */
  #operations = []
  #bytes = 0
  /** Changes of the batch that is gathered: key → text, or undefined where it is removed. @type {Map<string, string | undefined>} */
  #pending = new Map()

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level
   * @param {string} prefix of the database
   */
  constructor (level, prefix) {
    this.keyspace = new Keyspace(level)
    this.layout = new Layout(prefix)
    /** The secret of a database with access by document. */
    this.accessKey = ''
    /** Whether anything but what is worked out from the rest had to be changed. */
    this.changed = false
    /** Bytes and count of bodies beside the winners'. */
    this.revisions = 0
    this.bodies = 0
    /** Bytes and count of versions that others have replaced. */
    this.history = 0
    this.versions = 0
    /** The last sequence that any record names. */
    this.lastSeq = 0
    /** The last time that any record names. */
    this.lastTime = 0
  }

  /** @param {string} key @returns {Promise<string | undefined>} */
  async get (key) {
    return this.#pending.has(key) ? this.#pending.get(key) : this.keyspace.get(key)
  }

  /** @param {string[]} keys @returns {Promise<Array<string | undefined>>} */
  async getMany (keys) {
    const texts = await this.keyspace.getMany(keys)
    return keys.map((key, i) => this.#pending.has(key) ? this.#pending.get(key) : texts[i])
  }

  /** @param {string} key @returns {Promise<Buffer | undefined>} */
  async getBinary (key) { return (await this.keyspace.getBinary([key]))[0] }

  /**
   * Reads the entries of a range as they are when it begins, by pages.
   *
   * @param {Range} range
   */
  entries (range) { return pagesOf(this.keyspace.entries(range)) }

  /** @param {Range} range */
  keys (range) { return pagesOf(this.keyspace.keys(range)) }

  /** @param {string} key @param {string} text */
  async put (key, text) {
    this.changed = true
    await this.#add(put(key, text), text)
  }

  /** @param {string} key */
  async remove (key) {
    this.changed = true
    await this.#add(del(key), undefined)
  }

  /** @param {Operation} operation @param {string | undefined} text */
  async #add (operation, text) {
    this.#operations.push(operation)
    this.#pending.set(operation.key, text)
    this.#bytes += text?.length ?? 0
    if (this.#operations.length >= MOST_OPERATIONS || this.#bytes >= MOST_BYTES) await this.flush()
  }

  /** Writes what was gathered. */
  async flush () {
    if (this.#operations.length > 0) await this.keyspace.write(this.#operations)
    this.#operations = []
    this.#pending = new Map()
    this.#bytes = 0
  }
}

module.exports = { Mending }
