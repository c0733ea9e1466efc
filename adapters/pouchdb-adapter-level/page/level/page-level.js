'use strict'

const { Bytes } = require('../bytes')
const { Blocks } = require('./blocks')
const { Page, encodeEntries, sizeOf } = require('./entries')
const { toText, toTextRange } = require('./key-text')
const { Memtable } = require('./memtable')
const { PageBatch } = require('./page-batch')
const { PageDatabase } = require('./page-database')
const { PageIterator } = require('./page-iterator')
const { PageSnapshot } = require('./page-snapshot')
const { notOpen } = require('./transaction')
const { View } = require('./view')

/** Bytes of the log that are put into blocks together. */
const LOG = 2 * 1024 * 1024

/** Bytes of a record of the log: Chromium keeps values of more than 64 KiB in files of their own. */
const RECORD = 60 * 1024

/** Milliseconds for which reads may keep events away. */
const TURN = 8

/**
 * Does what the document store asks of a level (see @potoroo/document-store, lib/media/keyspace.js), by IndexedDB, which nobody
 * else may have open: abstract-level with all that others ask of it would be a quarter of what a page loads. Keys are strings,
 * and values too, or bytes with `valueEncoding: 'buffer'`.
 *
 * A commit is a record of a log, and is in memory as well, until what the log says is put into blocks of many entries each,
 * behind the writers' back: see page-database.js for what is stored.
 *
 * @typedef {import('./entries').Entry} Entry
 * @typedef {{ type: 'put' | 'del', key: string, value?: string | Uint8Array }} Operation
 * @typedef {{ snapshot?: PageSnapshot, valueEncoding?: string }} ReadOptions
 */
class PageLevel {
  #location
  /** @type {PageDatabase | undefined} */
  #database
  /** Set when it is opened. @type {Blocks} */
  #blocks = /** @type {any} */ (undefined)
  /** Entries that were written of late. */
  #table = new Memtable()
  /** Entries that are being put into blocks. @type {Memtable | null} */
  #frozen = null
  /** The states that are read. @type {Set<View>} */
  #views = new Set()
  #seq = 0
  #lastRecord = 0
  /** Work in the background, one after another. @type {Promise<void>} */
  #background = Promise.resolve()
  #isAbsorbing = false
  /** When events could come last, in milliseconds. */
  #turned = 0
  /** Why `#frozen` could not be put into blocks. @type {any} */
  #failure = null

  supports = { getSync: false, permanence: true }

  /** @param {string} location the name of the database in IndexedDB */
  constructor (location) { this.#location = location }

  /** Removes what is stored, which must not be open. @param {string} location @returns {Promise<void>} */
  static destroy (location) { return PageDatabase.remove(location) }

  /** @returns {Promise<void>} */
  async open () {
    const database = await PageDatabase.open(this.#location)
    const stored = await database.readAll()
    this.#blocks = new Blocks(database, stored)
    this.#table = new Memtable()
    this.#frozen = this.#failure = null
    this.#views = new Set()
    this.#lastRecord = 0
    stored.records.forEach((record, i) => {
      const page = new Page(record)
      this.#lastRecord = stored.numbers[i]
      this.#apply(page.keys.map((text, i) => [text, page.valueAt(i)]), this.#lastRecord)
    })
    this.#database = database
    this.#sweep()
    this.#checkpoint()
  }

  async close () {
    const database = this.#database
    this.#database = undefined
    await this.#background
    database?.close()
  }

  #assertOpen () {
    if (this.#database === undefined) throw notOpen('Database is not open')
    return this.#database
  }

  #view () {
    this.#assertOpen()
    return new View(this.#blocks, this.#frozen === null ? [this.#table] : [this.#table, this.#frozen], this.#seq)
  }

  snapshot () {
    const [view, views] = [this.#view(), this.#views]
    views.add(view)
    return new PageSnapshot(view, () => {
      if (views.delete(view) && view.generation < this.#blocks.generation) this.#sweep()
    })
  }

  /** @param {string} key @param {ReadOptions} options @returns {Promise<any>} */
  async get (key, options) { return (await this.getMany([key], options))[0] }

  /** @param {string[]} keys @param {ReadOptions} options @returns {Promise<any[]>} */
  async getMany (keys, { snapshot, valueEncoding }) {
    const texts = keys.map(toText)
    const values = await (snapshot === undefined ? this.#read(texts) : snapshot.during(async view => view.get(texts)))
    await this.turn()
    return values.map(value => value && (valueEncoding === 'buffer' ? Bytes.from(value) : decoder.decode(value)))
  }

  /** @param {string[]} texts @returns {ReturnType<View['get']>} */
  #read (texts) {
    const values = this.#view().get(texts)
    if (!(values instanceof Promise)) return values
    // Blocks that are read stay until they are there.
    const held = this.snapshot()
    return values.finally(() => held.close())
  }

  /** Lets events come where much is read from memory: promises alone would keep them away. */
  async turn () {
    if (performance.now() - this.#turned < TURN) return
    await new Promise(resolve => setImmediate(resolve))
    this.#turned = performance.now()
  }

  /**
   * Writes in one commit; without operations it returns a batch that collects them.
   *
   * @param {Operation[]} [operations]
   * @returns {any}
   */
  batch (operations) { return operations === undefined ? new PageBatch(this) : this.#commit(operations.map(toEntry)) }

  /** Removes a range, in one commit. @param {import('./page-iterator').TextRange} options */
  async clear (options) {
    const range = toTextRange(options)
    const snapshot = this.snapshot()
    try {
      const entries = await snapshot.during(view => view.read(range, Infinity, false))
      if (entries.length > 0) await this.#commit(entries.map(([text]) => [text, null]))
    } finally {
      await snapshot.close()
    }
  }

  /** Reads entries, `[key, value]`. @param {import('./page-iterator').IteratorOptions} options */
  iterator (options) { return new PageIterator(this, options, true) }

  /** Reads keys. @param {import('./page-iterator').IteratorOptions} options */
  keys (options) { return new PageIterator(this, options, false) }

  /** @param {Entry[]} entries */
  async #commit (entries) {
    this.#assertOpen()
    if (this.#table.size >= 2 * LOG) await this.#makeRoom()
    const records = recordsOf(entries)
    const first = this.#lastRecord + 1
    this.#lastRecord += records.length
    await this.#assertOpen().append(records, first)
    this.#seq++
    this.#apply(entries, first + records.length - 1)
    if (this.#frozen === null) this.#checkpoint()
  }

  /** @param {Entry[]} entries @param {number} record the number of the log's last record of them */
  #apply (entries, record) {
    const isViewed = this.#views.size > 0
    for (const entry of entries) this.#table.add(entry, this.#seq, isViewed)
    this.#table.lastRecord = record
  }

  /** Waits where the log grows faster than blocks are written; if they cannot be, nothing more is written. */
  async #makeRoom () {
    this.#checkpoint()
    await this.#background
    if (this.#failure !== null) throw this.#failure
  }

  /** Begins to put into blocks what the log says, if that is much, or tries again what has failed. */
  #checkpoint () {
    if (this.#isAbsorbing || this.#database === undefined) return
    if (this.#frozen === null) {
      if (this.#table.size < LOG) return
      this.#frozen = this.#table
      this.#table = new Memtable()
    }
    this.#isAbsorbing = true
    const [database, frozen] = [this.#assertOpen(), this.#frozen]
    this.#later(() => this.#absorb(database, frozen))
  }

  /** @param {PageDatabase} database @param {Memtable} table */
  async #absorb (database, table) {
    try {
      await this.#blocks.absorb(table)
      this.#frozen = null
      await database.removeRecords(table.lastRecord)
      await this.#blocks.sweep(this.#oldest)
      this.#failure = null
    } catch (error) {
      this.#failure = error
    } finally {
      this.#isAbsorbing = false
    }
  }

  /** The least generation of blocks that somebody reads. */
  get #oldest () {
    let oldest = this.#blocks.generation
    for (const { generation } of this.#views) oldest = Math.min(oldest, generation)
    return oldest
  }

  /** Removes blocks that nobody reads; another time if that fails. */
  #sweep () { this.#later(() => this.#blocks.sweep(this.#oldest).catch(() => {})) }

  /** @param {() => Promise<void>} work which does not fail */
  #later (work) { this.#background = this.#background.then(work) }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** @param {Operation} operation @returns {Entry} with a value of its own: the caller may change the one given */
function toEntry ({ type, key, value }) {
  return [toText(key), type === 'del' ? null : typeof value === 'string' ? encoder.encode(value) : new Uint8Array(/** @type {Uint8Array} */ (value))]
}

/** @param {Entry[]} entries */
function recordsOf (entries) {
  /** @type {Uint8Array[]} */
  const records = []
  let first = 0
  let size = 0
  entries.forEach((entry, i) => {
    const own = sizeOf(entry)
    if (i > first && size + own > RECORD) {
      records.push(encodeEntries(entries.slice(first, i)))
      first = i
      size = 0
    }
    size += own
  })
  records.push(encodeEntries(entries.slice(first)))
  return records
}

module.exports = { PageLevel }
