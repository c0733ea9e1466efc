'use strict'

/* global IDBKeyRange */

const { AbstractIterator, AbstractSnapshot } = require('abstract-level')
const { Level } = require('level')
const { latin1 } = require('./bytes')

/**
 * `level` in a page, which is IndexedDB, with what the document store asks of a level besides: snapshots. IndexedDB has
 * none that lasts longer than a transaction. So a batch reads what it is about to replace, in its own transaction, for
 * the snapshots that are open: a snapshot is what is stored, and what was stored before in place of what was written since.
 *
 * A snapshot is the state between two transactions: those that write and were begun before it belong to it, for IndexedDB
 * lets no later transaction read before them.
 *
 * @typedef {{ type: 'put' | 'del', key: Uint8Array, value: Uint8Array }} Operation
 * @typedef {{ key: Uint8Array, value: Uint8Array | undefined }} Former what was stored under a key; undefined: nothing
 */
class PageLevel extends Level {
  /** @type {Set<PageSnapshot>} */
  #snapshots = new Set()
  /** Keys that are read together. @type {Array<{ key: Uint8Array, resolve: (value: any) => void, reject: (error: unknown) => void }>} */
  #wanted = []

  /** @param {string} location */
  constructor (location) {
    super(location, { prefix: '' })
    this.supports.explicitSnapshots = true
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
      const values = new Array(keys.length)
      transaction.onabort = () => reject(toLevelError(transaction.error))
      transaction.oncomplete = () => resolve(values)
      keys.forEach((key, i) => {
        store.get(key).onsuccess = event => { values[i] = toView(event.target.result) }
      })
      transaction.commit()
    })
  }

  /** @param {Operation[]} operations */
  async _batch (operations) {
    const { transaction, store, ended } = this.begin('readwrite')
    const snapshots = [...this.#snapshots]
    if (snapshots.length > 0) {
      for (const { key } of operations) store.get(key).onsuccess = event => keep(snapshots, key, toView(event.target.result))
    }
    for (const { type, key, value } of operations) {
      if (type === 'del') store.delete(key)
      else store.put(value, key)
    }
    transaction.commit()
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
    const snapshots = [...this.#snapshots]
    if (snapshots.length > 0) keepRange(store, range, snapshots)
    if (range === undefined) store.clear()
    else store.delete(range)
    transaction.commit()
    return ended
  }

  /** @param {any} options */
  _iterator (options) { return new PageIterator(this, options) }
}

/** @param {IDBObjectStore} store @param {IDBKeyRange | undefined} range @param {PageSnapshot[]} snapshots */
function keepRange (store, range, snapshots) {
  /** @type {ArrayBuffer[]} */
  let keys
  store.getAllKeys(range).onsuccess = event => { keys = event.target.result }
  store.getAll(range).onsuccess = event => {
    event.target.result.forEach((value, i) => keep(snapshots, toView(keys[i]), toView(value)))
  }
}

/** @param {PageSnapshot[]} snapshots @param {Uint8Array} key @param {Uint8Array | undefined} value */
function keep (snapshots, key, value) {
  for (const snapshot of snapshots) snapshot.keep(key, value)
}

class PageSnapshot extends AbstractSnapshot {
  /** Keys as latin1 text, whose order is that of their bytes. @type {Map<string, Former>} */
  #former = new Map()
  #forget

  /** @param {{ owner: PageLevel }} options @param {() => void} forget */
  constructor (options, forget) {
    super(options)
    this.#forget = forget
  }

  /** @param {Uint8Array} key @param {Uint8Array | undefined} value */
  keep (key, value) {
    const text = latin1(key)
    if (!this.#former.has(text)) this.#former.set(text, { key, value })
  }

  /** The value of then. @param {Uint8Array} key @param {Uint8Array | undefined} value of a read that has ended */
  valueOf (key, value) {
    const former = this.#former.size === 0 ? undefined : this.#former.get(latin1(key))
    return former === undefined ? value : former.value
  }

  /**
   * The entries of then.
   *
   * @param {Array<[Uint8Array, Uint8Array | undefined]>} entries those of a range, from a read that has ended
   * @param {IDBKeyRange | undefined} range
   * @param {boolean} reverse
   */
  entriesOf (entries, range, reverse) {
    if (this.#former.size === 0) return entries
    const texts = new Map(entries.map(entry => [latin1(entry[0]), entry]))
    let isChanged = false
    for (const [text, { key, value }] of this.#former) {
      if (range !== undefined && !range.includes(key)) continue
      isChanged = true
      if (value === undefined) texts.delete(text)
      else texts.set(text, [key, value])
    }
    if (!isChanged) return entries
    const order = reverse ? -1 : 1
    return [...texts].sort(([a], [b]) => a < b ? -order : order).map(([, entry]) => entry)
  }

  async _close () {
    this.#forget()
    this.#former.clear()
  }
}

/** Reads pages with one transaction each. */
class PageIterator extends AbstractIterator {
  #level
  #options
  /** The rest of the range, which is not read yet. @type {Range | null} */
  #range
  /** Read already. @type {Array<[any, any]>} */
  #ahead = []

  /** @param {PageLevel} level @param {Range & { keys: boolean, values: boolean, reverse: boolean, snapshot?: PageSnapshot }} options */
  constructor (level, options) {
    super(level, options)
    this.#level = level
    this.#options = options
    this.#range = boundsOf(options)
  }

  async _next () { return (await this._nextv(1))[0] }

  /** @param {number} size */
  async _nextv (size) {
    while (this.#ahead.length === 0 && this.#range !== null) await this.#readAhead(size)
    if (this.#ahead.length <= size) return this.#ahead.splice(0)
    return this.#ahead.splice(0, size)
  }

  /** @param {number} size */
  async #readAhead (size) {
    const range = rangeOf(/** @type {Range} */ (this.#range))
    if (range === null) {
      this.#range = null
      return
    }
    const { reverse, snapshot } = this.#options
    const entries = await this.#read(range, size)
    const isLast = entries.length < size
    const read = isLast ? this.#range : upTo(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#range = isLast ? null : beyond(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#ahead = snapshot === undefined ? entries : snapshot.entriesOf(entries, rangeOf(/** @type {Range} */ (read)) ?? undefined, reverse)
  }

  /** @param {IDBKeyRange | undefined} range @param {number} size @returns {Promise<Array<[Uint8Array, Uint8Array | undefined]>>} */
  async #read (range, size) {
    const { transaction, store, ended } = this.#level.begin('readonly')
    /** @type {Array<[Uint8Array, Uint8Array | undefined]>} */
    const entries = []
    const withValues = this.#options.values
    if (this.#options.reverse) readBackwards(store, range, size, withValues, entries)
    else {
      readForwards(store, range, size, withValues, entries)
      transaction.commit()
    }
    await ended
    return entries
  }

  /** @param {Uint8Array} target */
  _seek (target) {
    this.#ahead = []
    const { reverse } = this.#options
    const range = boundsOf(this.#options)
    const whole = rangeOf(range)
    if (whole === null || !(whole?.includes(target) ?? true)) this.#range = null
    else this.#range = reverse ? { ...range, lt: undefined, lte: target } : { ...range, gt: undefined, gte: target }
  }
}

/**
 * @param {IDBObjectStore} store
 * @param {IDBKeyRange | undefined} range
 * @param {number} size
 * @param {boolean} withValues
 * @param {Array<[Uint8Array, Uint8Array | undefined]>} entries
 */
function readForwards (store, range, size, withValues, entries) {
  store.getAllKeys(range, size).onsuccess = event => {
    for (const key of event.target.result) entries.push([new Uint8Array(key), undefined])
  }
  if (!withValues) return
  store.getAll(range, size).onsuccess = event => {
    event.target.result.forEach((value, i) => { entries[i][1] = toView(value) })
  }
}

/**
 * @param {IDBObjectStore} store
 * @param {IDBKeyRange | undefined} range
 * @param {number} size
 * @param {boolean} withValues
 * @param {Array<[Uint8Array, Uint8Array | undefined]>} entries
 */
function readBackwards (store, range, size, withValues, entries) {
  const request = withValues ? store.openCursor(range, 'prev') : store.openKeyCursor(range, 'prev')
  request.onsuccess = () => {
    const cursor = request.result
    if (cursor === null) return
    entries.push([new Uint8Array(cursor.key), withValues ? toView(cursor.value) : undefined])
    if (entries.length < size) cursor.continue()
  }
}

/** @typedef {{ gt?: Uint8Array, gte?: Uint8Array, lt?: Uint8Array, lte?: Uint8Array }} Range */

/** @param {Range} options */
function boundsOf ({ gt, gte, lt, lte }) { return { gt, gte, lt, lte } }

/** @param {Range} range @param {Uint8Array} key @param {boolean} reverse */
function upTo (range, key, reverse) { return reverse ? { ...range, gt: undefined, gte: key } : { ...range, lt: undefined, lte: key } }

/** @param {Range} range @param {Uint8Array} key @param {boolean} reverse */
function beyond (range, key, reverse) { return reverse ? { ...range, lte: undefined, lt: key } : { ...range, gte: undefined, gt: key } }

/** @param {Range} range @returns {IDBKeyRange | undefined | null} undefined: all keys; null: none */
function rangeOf ({ gt, gte, lt, lte }) {
  const lower = gte ?? gt
  const upper = lte ?? lt
  try {
    if (lower !== undefined && upper !== undefined) return IDBKeyRange.bound(lower, upper, gte === undefined, lte === undefined)
    if (lower !== undefined) return IDBKeyRange.lowerBound(lower, gte === undefined)
    return upper === undefined ? undefined : IDBKeyRange.upperBound(upper, lte === undefined)
  } catch {
    // IndexedDB has no empty range.
    return null
  }
}

/** @param {any} value */
function toView (value) { return value instanceof ArrayBuffer ? new Uint8Array(value) : value }

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
function ended (transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(toLevelError(transaction.error))
  })
}

/** @param {DOMException | null} error */
function toLevelError (error) {
  const code = error?.name === 'QuotaExceededError' ? 'LEVEL_NO_SPACE' : 'LEVEL_IO_ERROR'
  return Object.assign(new Error(error?.message ?? 'The transaction was aborted', { cause: error }), { code })
}

module.exports = { PageLevel }
