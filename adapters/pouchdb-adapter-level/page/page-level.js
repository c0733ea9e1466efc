'use strict'

/* global IDBKeyRange */

const { AbstractIterator, AbstractSnapshot } = require('abstract-level')
const { Level } = require('level')
const { Bytes, latin1 } = require('./bytes')

/**
 * `level` in a page, which is IndexedDB, with what the document store asks of a level besides: snapshots. IndexedDB has
 * none that lasts longer than a transaction. So a batch reads what it is about to replace, in its own transaction, for
 * the snapshots that are open: a snapshot is what is stored, and what was stored before in place of what was written since.
 *
 * A snapshot is the state between two transactions: those that write and were begun before it belong to it, for IndexedDB
 * lets no later transaction read before them.
 *
 * @typedef {{ type: 'put' | 'del', key: Uint8Array, value: Uint8Array }} Operation
 * @typedef {[Uint8Array, Uint8Array | undefined]} Entry
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

/** Keys of one store of the document store's that are read one by one. */
const FEW = 8

/**
 * Reads what is stored under keys. Chromium may say that a transaction is complete before it has given large values, so
 * each request counts.
 *
 * @param {IDBObjectStore} store
 * @param {Uint8Array[]} keys one or more
 * @param {(values: Array<Uint8Array | undefined>) => void} done
 */
function getAll (store, keys, done) {
  const values = new Array(keys.length)
  let left = keys.length
  const settle = (/** @type {number} */ i, /** @type {Uint8Array | undefined} */ value) => {
    values[i] = value
    if (--left === 0) done(values)
  }
  if (left === 0) done(values)
  // The first letter of a key says which store of the document store's it belongs to.
  /** @type {Map<number, number[]>} */
  const groups = new Map()
  keys.forEach(([letter], i) => {
    const group = groups.get(letter)
    if (group === undefined) groups.set(letter, [i])
    else group.push(i)
  })
  for (const group of groups.values()) getGroup(store, keys, group, settle)
}

/**
 * Reads many keys by one request where between the least and the greatest there is not much more than they, as where
 * documents are new: a request for each costs more than to read some in vain.
 *
 * @param {IDBObjectStore} store
 * @param {Uint8Array[]} keys
 * @param {number[]} group indexes of keys
 * @param {(index: number, value: Uint8Array | undefined) => void} settle
 */
function getGroup (store, keys, group, settle) {
  const getEach = () => {
    for (const i of group) store.get(keys[i]).onsuccess = event => settle(i, toView(event.target.result))
  }
  if (group.length <= FEW) return getEach()
  let [least, greatest] = [keys[group[0]], keys[group[0]]]
  for (const i of group) {
    if (Bytes.compare(keys[i], least) < 0) least = keys[i]
    else if (Bytes.compare(keys[i], greatest) > 0) greatest = keys[i]
  }
  const range = IDBKeyRange.bound(least, greatest)
  store.count(range).onsuccess = event => {
    const count = event.target.result
    if (count === 0) for (const i of group) settle(i, undefined)
    else if (count > 2 * group.length) getEach()
    else {
      getRange(store, range, undefined, true, entries => {
        const found = new Map(entries.map(([key, value]) => [latin1(key), value]))
        for (const i of group) settle(i, found.get(latin1(keys[i])))
      })
    }
  }
}

/**
 * @param {IDBObjectStore} store
 * @param {IDBKeyRange | undefined} range
 * @param {number | undefined} size how many at most
 * @param {boolean} withValues
 * @param {(entries: Entry[]) => void} done
 */
function getRange (store, range, size, withValues, done) {
  /** @type {ArrayBuffer[] | undefined} */
  let keys
  /** @type {any[] | undefined} */
  let values = withValues ? undefined : []
  const end = () => {
    if (keys !== undefined && values !== undefined) done(keys.map((key, i) => [new Uint8Array(key), toView(values[i])]))
  }
  store.getAllKeys(range, size).onsuccess = event => {
    keys = event.target.result
    end()
  }
  if (!withValues) return
  store.getAll(range, size).onsuccess = event => {
    values = event.target.result
    end()
  }
}

/**
 * @param {IDBObjectStore} store
 * @param {IDBKeyRange | undefined} range
 * @param {number} size
 * @param {boolean} withValues
 * @param {(entries: Entry[]) => void} done
 */
function getRangeBackwards (store, range, size, withValues, done) {
  /** @type {Entry[]} */
  const entries = []
  const request = withValues ? store.openCursor(range, 'prev') : store.openKeyCursor(range, 'prev')
  request.onsuccess = () => {
    const cursor = request.result
    if (cursor === null) return done(entries)
    entries.push([new Uint8Array(cursor.key), withValues ? toView(cursor.value) : undefined])
    if (entries.length < size) cursor.continue()
    else done(entries)
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
   * @param {Entry[]} entries those of a range, from a read that has ended
   * @param {Range} range
   * @param {boolean} reverse
   */
  entriesOf (entries, range, reverse) {
    if (this.#former.size === 0) return entries
    const isWithin = textsWithin(range)
    const former = [...this.#former].filter(([text]) => isWithin(text))
    if (former.length === 0) return entries
    const texts = new Map(entries.map(entry => [latin1(entry[0]), entry]))
    for (const [text, { key, value }] of former) {
      if (value === undefined) texts.delete(text)
      else texts.set(text, [key, value])
    }
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
  #snapshot
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
    this.#snapshot = options.snapshot ?? level._snapshot()
  }

  async _close () {
    if (this.#options.snapshot === undefined) await this.#snapshot.close()
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
    const { reverse } = this.#options
    const entries = await this.#read(range, size)
    const isLast = entries.length < size
    const read = isLast ? this.#range : upTo(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#range = isLast ? null : beyond(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#ahead = this.#snapshot.entriesOf(entries, /** @type {Range} */ (read), reverse)
  }

  /** @param {IDBKeyRange | undefined} range @param {number} size @returns {Promise<Entry[]>} */
  #read (range, size) {
    return new Promise((resolve, reject) => {
      const { transaction, store } = this.#level.begin('readonly')
      transaction.onabort = () => reject(toLevelError(transaction.error))
      const read = this.#options.reverse ? getRangeBackwards : getRange
      read(store, range, size, this.#options.values, resolve)
    })
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

/** @typedef {{ gt?: Uint8Array, gte?: Uint8Array, lt?: Uint8Array, lte?: Uint8Array }} Range */

/** Tells whether a key is in a range, of its latin1 text: IDBKeyRange takes far longer. @param {Range} range */
function textsWithin ({ gt, gte, lt, lte }) {
  const [least, greatest] = [gte ?? gt, lte ?? lt].map(key => key && latin1(key))
  return (/** @type {string} */ text) =>
    (least === undefined || (gte === undefined ? text > least : text >= least)) &&
    (greatest === undefined || (lte === undefined ? text < greatest : text <= greatest))
}

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
