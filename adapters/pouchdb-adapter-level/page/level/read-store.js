'use strict'

/* global IDBKeyRange */

const { Bytes, latin1 } = require('../bytes')

/** Reads of an object store of IndexedDB, in the transaction that the store is of. */

/** @typedef {[Uint8Array, Uint8Array | undefined]} Entry */

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

/** @param {any} value */
function toView (value) { return value instanceof ArrayBuffer ? new Uint8Array(value) : value }

module.exports = { getAll, getRange, getRangeBackwards }
