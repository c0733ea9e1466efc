'use strict'

/* global indexedDB */

const { asBytes, Bytes } = require('../bytes')
const { bytesOf, rangeOf } = require('./key-range')
const { PageBatch } = require('./page-batch')
const { PageIterator } = require('./page-iterator')
const { PageSnapshot } = require('./page-snapshot')
const { getAll, getRange } = require('./read-store')
const { ended, notOpen, toLevelError } = require('./transaction')

/**
 * Does what the document store asks of a level (see @potoroo/document-store, lib/media/keyspace.js), by IndexedDB: abstract-level
 * with all that others ask of it would be a quarter of what a page loads. The bytes are those of the package `level`. Keys are
 * strings, and values too, or bytes with `valueEncoding: 'buffer'`.
 *
 * IndexedDB has no snapshots that last longer than a transaction. So a batch reads what it is about to replace, in its own
 * transaction, for the snapshots that are open: a snapshot is what is stored, and what was stored before in place of what was
 * written since. It is the state between two transactions: those that write and were begun before it belong to it, for
 * IndexedDB lets no later transaction read before them.
 *
 * @typedef {{ type: 'put' | 'del', key: string, value?: string | Uint8Array }} Operation
 * @typedef {import('./key-range').Range} Range
 * @typedef {import('./page-iterator').IteratorOptions} IteratorOptions
 * @typedef {{ snapshot?: PageSnapshot, valueEncoding?: string }} ReadOptions
 */
class PageLevel {
  #location
  /** @type {IDBDatabase | undefined} */
  #db
  /** @type {Set<PageSnapshot>} */
  #snapshots = new Set()
  /** Keys that are read together. @type {Array<{ key: Uint8Array, resolve: (value: any) => void, reject: (error: unknown) => void }>} */
  #wanted = []

  supports = { getSync: false, permanence: true }

  /** @param {string} location the name of the database in IndexedDB, and of its object store */
  constructor (location) { this.#location = location }

  /** Removes what is stored, which must not be open. @param {string} location @returns {Promise<void>} */
  static destroy (location) {
    return new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(location)
      request.onsuccess = () => resolve()
      request.onerror = () => reject(toLevelError(request.error))
    })
  }

  /** @returns {Promise<void>} */
  open () {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#location, 1)
      request.onupgradeneeded = () => request.result.createObjectStore(this.#location)
      request.onerror = () => reject(notOpen('Database failed to open', request.error))
      request.onsuccess = () => {
        const db = this.#db = request.result
        // Another tab that removes the database would wait for this one.
        db.onversionchange = () => db.close()
        resolve()
      }
    })
  }

  async close () {
    this.#db?.close()
    this.#db = undefined
  }

  /** @param {IDBTransactionMode} mode */
  begin (mode) {
    if (this.#db === undefined) throw notOpen('Database is not open')
    const transaction = this.#db.transaction([this.#location], mode, { durability: 'relaxed' })
    return { transaction, store: transaction.objectStore(this.#location), ended: ended(transaction) }
  }

  snapshot () {
    const snapshot = new PageSnapshot(() => this.#snapshots.delete(snapshot))
    this.#snapshots.add(snapshot)
    return snapshot
  }

  /** @param {string} key @param {ReadOptions} options @returns {Promise<any>} */
  async get (key, options) {
    const value = await this.#use(options, async snapshot => {
      const bytes = Bytes.from(key)
      const read = await new Promise((resolve, reject) => {
        if (this.#wanted.length === 0) queueMicrotask(() => this.#readWanted())
        this.#wanted.push({ key: bytes, resolve, reject })
      })
      return snapshot === undefined ? read : snapshot.valueOf(bytes, read)
    })
    return decode(value, options)
  }

  /** Reads what was asked for one by one in this turn. */
  #readWanted () {
    const wanted = this.#wanted
    this.#wanted = []
    this.#read(wanted.map(({ key }) => key)).then(
      values => wanted.forEach(({ resolve }, i) => resolve(values[i])),
      error => wanted.forEach(({ reject }) => reject(error)))
  }

  /** @param {string[]} keys @param {ReadOptions} options @returns {Promise<any[]>} */
  async getMany (keys, options) {
    const values = await this.#use(options, async snapshot => {
      const bytes = keys.map(key => Bytes.from(key))
      const read = await this.#read(bytes)
      return snapshot === undefined ? read : read.map((value, i) => snapshot.valueOf(bytes[i], value))
    })
    return values.map(value => decode(value, options))
  }

  /** A snapshot that is closed meanwhile is kept until it was read. @template T @param {ReadOptions} options @param {(snapshot?: PageSnapshot) => Promise<T>} read */
  #use ({ snapshot }, read) { return snapshot === undefined ? read() : snapshot.during(() => read(snapshot)) }

  /** @param {Uint8Array[]} keys @returns {Promise<Array<Uint8Array | undefined>>} */
  #read (keys) {
    return new Promise((resolve, reject) => {
      const { transaction, store } = this.begin('readonly')
      transaction.onabort = () => reject(toLevelError(transaction.error))
      getAll(store, keys, resolve)
    })
  }

  /**
   * Writes in one transaction; without operations it returns a batch that collects them.
   *
   * @param {Operation[]} [operations]
   * @returns {any}
   */
  batch (operations) { return operations === undefined ? new PageBatch(this) : this.#write(operations) }

  /** @param {Operation[]} operations */
  async #write (operations) {
    const keys = operations.map(({ key }) => Bytes.from(key))
    const { transaction, store, ended } = this.begin('readwrite')
    const write = () => {
      operations.forEach(({ type, value }, i) => {
        if (type === 'del') store.delete(keys[i])
        else store.put(typeof value === 'string' ? Bytes.from(value) : value, keys[i])
      })
      transaction.commit()
    }
    const snapshots = [...this.#snapshots]
    if (snapshots.length === 0) write()
    else {
      getAll(store, keys, values => {
        values.forEach((value, i) => keep(snapshots, keys[i], value))
        write()
      })
    }
    return ended
  }

  /** Removes a range. @param {import('./key-range').TextRange} options */
  async clear (options) {
    const range = rangeOf(bytesOf(options))
    if (range === null) return
    const { transaction, store, ended } = this.begin('readwrite')
    const remove = () => {
      if (range === undefined) store.clear()
      else store.delete(range)
      transaction.commit()
    }
    const snapshots = [...this.#snapshots]
    if (snapshots.length === 0) remove()
    else {
      getRange(store, range, undefined, true, entries => {
        for (const [key, value] of entries) keep(snapshots, key, value)
        remove()
      })
    }
    return ended
  }

  /** Reads entries, `[key, value]`. @param {IteratorOptions} options */
  iterator (options) { return new PageIterator(this, options, true) }

  /** Reads keys. @param {IteratorOptions} options */
  keys (options) { return new PageIterator(this, options, false) }
}

/** @param {PageSnapshot[]} snapshots @param {Uint8Array} key @param {Uint8Array | undefined} value */
function keep (snapshots, key, value) {
  for (const snapshot of snapshots) snapshot.keep(key, value)
}

/** @param {Uint8Array | undefined} value @param {ReadOptions} options */
function decode (value, { valueEncoding }) {
  if (value === undefined) return
  const bytes = asBytes(value)
  return valueEncoding === 'buffer' ? bytes : bytes.toString()
}

module.exports = { PageLevel }
