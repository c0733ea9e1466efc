'use strict'

/* global IDBKeyRange, indexedDB */

const { convert } = require('./convert')
const { Page } = require('./entries')
const { latin1 } = require('../bytes')
const { toBytes } = require('./key-text')
const { ended, notOpen, toLevelError } = require('./transaction')

/**
 * Reads and writes IndexedDB. It holds, in version 2:
 *
 *   blocks   [least key, number] → entries in the order of keys, see entries.js; 'replaced' → keys of blocks that others have
 *            replaced, which are there for those who read an earlier state
 *   log      number → entries that were written: a commit is one record, or several in one transaction
 *
 * The state is what the blocks hold, and then what the log says, in its order. Version 1 had an entry in each record.
 */
const VERSION = 2

const REPLACED = 'replaced'

/** @typedef {{ key: string, number: number }} Block key: as text, the least that it may hold; blocks are never written twice */

class PageDatabase {
  #database

  /** @param {IDBDatabase} database */
  constructor (database) {
    this.#database = database
    // Another tab that removes the database would wait for this one.
    database.onversionchange = () => database.close()
  }

  /** @param {string} location @returns {Promise<PageDatabase>} */
  static open (location) {
    const request = indexedDB.open(location, VERSION)
    return new Promise((resolve, reject) => {
      request.onupgradeneeded = () => {
        const [database, transaction] = [request.result, /** @type {IDBTransaction} */ (request.transaction)]
        database.createObjectStore('blocks')
        database.createObjectStore('log')
        if (database.objectStoreNames.contains(location)) convert(database, transaction, location)
      }
      request.onerror = () => {
        const isLater = request.error?.name === 'VersionError'
        reject(notOpen('Database failed to open', isLater ? new Error('A later version of pouchdb-adapter-level has written it', { cause: request.error }) : request.error))
      }
      request.onsuccess = () => resolve(new PageDatabase(request.result))
    })
  }

  /** @param {string} location @returns {Promise<void>} */
  static remove (location) {
    const request = indexedDB.deleteDatabase(location)
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve()
      request.onerror = () => reject(toLevelError(request.error))
    })
  }

  close () { this.#database.close() }

  /** @param {string[]} stores @param {IDBTransactionMode} mode */
  #begin (stores, mode) { return this.#database.transaction(stores, mode, { durability: 'relaxed' }) }

  /** Reads everything but what is in blocks. */
  async readAll () {
    const transaction = this.#begin(['blocks', 'log'], 'readonly')
    const [blocks, log] = [transaction.objectStore('blocks'), transaction.objectStore('log')]
    const requests = [blocks.getAllKeys(IDBKeyRange.lowerBound([])), blocks.get(REPLACED), log.getAllKeys(), log.getAll()]
    const [keys, replaced = [], numbers, records] = await Promise.all(requests.map(resultOf))
    const gone = new Set(replaced.map((/** @type {any} */ [, number]) => number))
    const all = keys.map(toBlock)
    return {
      blocks: /** @type {Block[]} */ (all.filter((/** @type {Block} */ { number }) => !gone.has(number))),
      replaced: /** @type {Block[]} */ (all.filter((/** @type {Block} */ { number }) => gone.has(number))),
      numbers: /** @type {number[]} */ (numbers),
      records: /** @type {Uint8Array[]} */ (records)
    }
  }

  /** @param {Block[]} blocks @returns {Promise<Page[]>} */
  readBlocks (blocks) {
    const store = this.#begin(['blocks'], 'readonly').objectStore('blocks')
    return Promise.all(blocks.map(async block => {
      const bytes = await resultOf(store.get(toKey(block)))
      if (bytes === undefined) throw Object.assign(new Error('A block is missing'), { code: 'LEVEL_CORRUPTION' })
      return new Page(bytes)
    }))
  }

  /**
   * Commits records. A number that is there already fails: somebody else would have written.
   *
   * @param {Uint8Array[]} records
   * @param {number} first the number of the first one
   */
  append (records, first) {
    const transaction = this.#begin(['log'], 'readwrite')
    const store = transaction.objectStore('log')
    records.forEach((record, i) => store.add(record, first + i))
    return committed(transaction)
  }

  /** @param {Array<{ block: Block, bytes: Uint8Array }>} added @param {Block[]} replaced all that are there still */
  replaceBlocks (added, replaced) {
    const transaction = this.#begin(['blocks'], 'readwrite')
    const store = transaction.objectStore('blocks')
    for (const { block, bytes } of added) store.add(bytes, toKey(block))
    store.put(replaced.map(toKey), REPLACED)
    return committed(transaction)
  }

  /** @param {Block[]} blocks @param {Block[]} replaced those that stay */
  removeBlocks (blocks, replaced) {
    const transaction = this.#begin(['blocks'], 'readwrite')
    const store = transaction.objectStore('blocks')
    for (const block of blocks) store.delete(toKey(block))
    store.put(replaced.map(toKey), REPLACED)
    return committed(transaction)
  }

  /** @param {number} last the number of the last record that goes */
  removeRecords (last) {
    const transaction = this.#begin(['log'], 'readwrite')
    transaction.objectStore('log').delete(IDBKeyRange.upperBound(last))
    return committed(transaction)
  }
}

/** @param {IDBTransaction} transaction */
function committed (transaction) {
  const end = ended(transaction)
  transaction.commit()
  return end
}

/** @param {IDBRequest} request @returns {Promise<any>} */
function resultOf (request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(toLevelError(request.error))
  })
}

/** @param {Block} block */
function toKey ({ key, number }) { return [toBytes(key), number] }

/** @param {any} key @returns {Block} */
function toBlock ([key, number]) { return { key: latin1(new Uint8Array(key)), number } }

module.exports = { PageDatabase }
