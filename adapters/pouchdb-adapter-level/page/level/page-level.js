'use strict'

const { Level } = require('level')
const { rangeOf } = require('./key-range')
const { PageIterator } = require('./page-iterator')
const { PageSnapshot } = require('./page-snapshot')
const { getAll, getRange } = require('./read-store')
const { ended, toLevelError } = require('./transaction')

/**
 * `level` in a page, which is IndexedDB, with what the document store asks of a level besides: snapshots. IndexedDB has
 * none that lasts longer than a transaction. So a batch reads what it is about to replace, in its own transaction, for
 * the snapshots that are open: a snapshot is what is stored, and what was stored before in place of what was written since.
 *
 * A snapshot is the state between two transactions: those that write and were begun before it belong to it, for IndexedDB
 * lets no later transaction read before them.
 *
 * @typedef {{ type: 'put' | 'del', key: Uint8Array, value: Uint8Array }} Operation
 * @typedef {import('./key-range').Range} Range
 */
class PageLevel extends Level {
  /** @type {Set<PageSnapshot>} */
  #snapshots = new Set()
  /** Keys that are read together. @type {Array<{ key: Uint8Array, resolve: (value: any) => void, reject: (error: unknown) => void }>} */
  #wanted = []

  /** @param {string} location */
  constructor (location) {
    super(location, { prefix: '' })
    this.supports.explicitSnapshots = this.supports.implicitSnapshots = true
  }

  /** @param {IDBTransactionMode} mode */
  begin (mode) {
    const transaction = this.db.transaction([this.location], mode, { durability: 'relaxed' })
    return { transaction, store: transaction.objectStore(this.location), ended: ended(transaction) }
  }

  async _open () {
    await super._open()
    // Another tab that removes the database would wait for this one.
    this.db.onversionchange = () => this.db.close()
  }

  _snapshot () {
    const snapshot = new PageSnapshot({ owner: this }, () => this.#snapshots.delete(snapshot))
    this.#snapshots.add(snapshot)
    return snapshot
  }

  /** @param {Uint8Array} key @param {{ snapshot?: PageSnapshot }} options */
  async _get (key, { snapshot }) {
    const value = await new Promise((resolve, reject) => {
      if (this.#wanted.length === 0) queueMicrotask(() => this.#readWanted())
      this.#wanted.push({ key, resolve, reject })
    })
    return snapshot === undefined ? value : snapshot.valueOf(key, value)
  }

  /** Reads what was asked for one by one in this turn. */
  #readWanted () {
    const wanted = this.#wanted
    this.#wanted = []
    this.#read(wanted.map(({ key }) => key)).then(
      values => wanted.forEach(({ resolve }, i) => resolve(values[i])),
      error => wanted.forEach(({ reject }) => reject(error)))
  }

  /** @param {Uint8Array[]} keys @param {{ snapshot?: PageSnapshot }} options */
  async _getMany (keys, { snapshot }) {
    const values = await this.#read(keys)
    return snapshot === undefined ? values : values.map((value, i) => snapshot.valueOf(keys[i], value))
  }

  /** @param {Uint8Array[]} keys @returns {Promise<Array<Uint8Array | undefined>>} */
  #read (keys) {
    return new Promise((resolve, reject) => {
      const { transaction, store } = this.begin('readonly')
      transaction.onabort = () => reject(toLevelError(transaction.error))
      getAll(store, keys, resolve)
    })
  }

  /** @param {Operation[]} operations */
  async _batch (operations) {
    const { transaction, store, ended } = this.begin('readwrite')
    const write = () => {
      for (const { type, key, value } of operations) {
        if (type === 'del') store.delete(key)
        else store.put(value, key)
      }
      transaction.commit()
    }
    const snapshots = [...this.#snapshots]
    if (snapshots.length === 0) write()
    else {
      getAll(store, operations.map(({ key }) => key), values => {
        values.forEach((value, i) => keep(snapshots, operations[i].key, value))
        write()
      })
    }
    return ended
  }

  /** @param {Uint8Array} key @param {Uint8Array} value */
  _put (key, value) { return this._batch([{ type: 'put', key, value }]) }

  /** @param {Uint8Array} key */
  _del (key) { return this._batch([{ type: 'del', key, value: key }]) }

  /** @param {Range & { limit: number, reverse: boolean }} options */
  async _clear (options) {
    if (options.limit >= 0) return super._clear(options)
    const range = rangeOf(options)
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

  /** @param {any} options */
  _iterator (options) { return new PageIterator(this, options) }
}

/** @param {PageSnapshot[]} snapshots @param {Uint8Array} key @param {Uint8Array | undefined} value */
function keep (snapshots, key, value) {
  for (const snapshot of snapshots) snapshot.keep(key, value)
}

module.exports = { PageLevel }
