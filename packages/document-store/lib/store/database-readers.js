'use strict'

const { createError } = require('@potoroo/errors')
const { DocumentReader } = require('./document-reader')
const { Keyspace } = require('../media/keyspace')
const { Layout } = require('../media/layout')
const { LAYOUT_VERSION } = require('../media/upgrade')

/**
 * @import { DatabaseRecord } from '../media/meta'
 *
 * @typedef {{ number: string, reader: DocumentReader }} Known
 */

/** Databases that are kept at hand. Deleted ones among them leave in their turn. */
const MOST = 1000

/**
 * The databases of a catalogue that another thread has open (see databases.js), for reading. Names
 * are looked up each time.
 */
class DatabaseReaders {
  #level
  #prefix
  #options
  #commit
  #keyspace
  /** @type {Map<string, Known>} */
  #known = new Map()

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level open, and one that answers at
   *   once: a pool that threads share
   * @param {import('../..').DatabaseReadersOptions} [options]
   */
  constructor (level, { prefix = '', deterministicRevs, commit } = {}) {
    this.#level = level
    this.#prefix = prefix
    this.#options = { deterministicRevs }
    this.#commit = commit
    this.#keyspace = new Keyspace(level, { shared: true })
  }

  /**
   * @param {string} name
   * @returns {DocumentReader | null} null where only who writes it can open it: it is of an older layout, or has several shards
   * @throws not_found (no_db_file)
   */
  get (name) {
    const number = this.#keyspace.getSync(`${this.#prefix}n${name}`)
    const known = this.#known.get(name)
    if (known !== undefined && known.number === number) return known.reader
    if (known !== undefined) this.#forget(name, known)
    if (number !== undefined) return this.#open(name, number)
    // The writer knows in which shard a document is.
    if (this.#keyspace.getSync(`${this.#prefix}s${name}`) !== undefined) return null
    throw createError('NO_DATABASE')
  }

  /** @param {string} name @param {string} number */
  #open (name, number) {
    const prefix = `${this.#prefix}b${number}/`
    const layout = new Layout(prefix)
    const text = this.#keyspace.getSync(layout.meta('database'))
    if (text === undefined || this.#keyspace.getSync(layout.meta('destroying')) !== undefined) return null
    const database = parsed(text)
    if (database?.version !== LAYOUT_VERSION) return null
    const reader = new DocumentReader(this.#level, { ...this.#options, name, prefix }, database, this.#commit)
    if (this.#known.size >= MOST) this.#forgetOldest()
    this.#known.set(name, { number, reader })
    return reader
  }

  /**
   * Forgets a database that was deleted. Reads of it that are under way go on to their end.
   *
   * @param {string} name
   * @param {Known} known
   */
  #forget (name, { reader }) {
    this.#known.delete(name)
    reader.release()
  }

  #forgetOldest () {
    const [[name, known]] = this.#known
    this.#forget(name, known)
  }

  async close () {
    await Promise.all([...this.#known.values()].map(({ reader }) => reader.close()))
  }
}

/**
 * Parses a database's record; null of one that is damaged, which its opening tells.
 *
 * @param {string} text
 * @returns {DatabaseRecord | null}
 */
function parsed (text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

module.exports = { DatabaseReaders }
