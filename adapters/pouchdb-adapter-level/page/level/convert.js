'use strict'

/* global IDBKeyRange */

const { blocksOf } = require('./blocks-of')
const { latin1 } = require('../bytes')
const { toBytes } = require('./key-text')

/** Entries that are read in one go. */
const PART = 500

/**
 * Makes blocks of the entries of version 1, which had each in a record of its own: keys and values of bytes. All of it is one
 * transaction of IndexedDB: a tab that ends meanwhile leaves version 1.
 *
 * @param {IDBDatabase} database
 * @param {IDBTransaction} transaction
 * @param {string} name of the store of version 1
 */
function convert (database, transaction, name) {
  const [from, to] = [transaction.objectStore(name), transaction.objectStore('blocks')]
  /** Read, and in no block yet. @type {import('./entries').Entry[]} */
  let entries = []
  let number = 0
  read(undefined)

  /** @param {IDBKeyRange | undefined} range */
  function read (range) {
    const [keys, values] = [from.getAllKeys(range, PART), from.getAll(range, PART)]
    values.onsuccess = () => {
      keys.result.forEach((key, i) => entries.push([latin1(new Uint8Array(/** @type {ArrayBuffer} */ (key))), new Uint8Array(values.result[i])]))
      const isLast = keys.result.length < PART
      write(isLast)
      if (isLast) database.deleteObjectStore(name)
      else read(IDBKeyRange.lowerBound(keys.result[PART - 1], true))
    }
  }

  /** @param {boolean} isLast */
  function write (isLast) {
    const blocks = blocksOf(entries)
    // The last block is filled by what comes.
    const kept = isLast ? undefined : blocks.pop()
    for (const { key, bytes } of blocks) to.add(bytes, [toBytes(key), ++number])
    entries = kept === undefined ? [] : entries.slice(entries.findIndex(([text]) => text === kept.key))
  }
}

module.exports = { convert }
