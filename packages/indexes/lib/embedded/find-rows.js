'use strict'

const { nextRound, toObject } = require('@potoroo/document-store')
const { collate } = require('pouchdb-collate')
const { rangesOf } = require('./query-options')
const { compileFields } = require('./selector')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./query-options').QueryOptions} QueryOptions
 */

/**
 * The work that pouchdb-find does with the rows of its query: it drops those that its selector refuses, sorts
 * the others, and takes some. Known beforehand, no more is read than that needs.
 *
 * @typedef {object} Wanted
 * @property {any} selector massaged
 * @property {string[]} fields those of it that the query's range does not decide
 * @property {number} most how many rows are taken, with those that are skipped
 * @property {number} sorted by how many fields of the index they are sorted; 0: as they come
 */

/** @typedef {{ id: string, key: any, value: any, doc: any }} FoundRow */

/** Documents that are read at once: some more than are still missing. */
const LEAST_READ = 8
const MOST_READ = 512

/** Rows that the selector accepts, up to as many as are wanted. */
class Found {
  #wanted
  /** The sorted fields of the last row that is wanted. @type {any} */
  #sorted
  /** @type {import('./selector').Matcher | undefined} */
  #matches
  /** @type {FoundRow[]} */
  rows = []

  /** @param {Wanted} wanted */
  constructor (wanted) {
    this.#wanted = wanted
  }

  /** How many to look at next. */
  get pace () { return Math.min(Math.max(2 * (this.#wanted.most - this.rows.length), LEAST_READ), MOST_READ) }

  /** Not before the first document: a selector that makes no sense is no error where there is none. @param {any} doc */
  #accepts (doc) {
    this.#matches ??= compileFields(this.#wanted.selector, this.#wanted.fields)
    return this.#matches(doc)
  }

  /**
   * @param {FoundRow} row
   * @returns {boolean} whether that is enough. Rows that are equal in the sort's fields are taken too,
   *   since pouchdb-find sorts them by id.
   */
  add (row) {
    const { most, sorted } = this.#wanted
    const enough = this.rows.length >= most
    if (enough && (sorted === 0 || collate(this.#sorted, sortKey(row.key, sorted)) !== 0)) return true
    if (!this.#accepts(row.doc)) return false
    this.rows.push(row)
    if (this.rows.length === most && sorted > 0) this.#sorted = sortKey(row.key, sorted)
    return this.rows.length >= most && sorted === 0
  }
}

/** @param {any} key @param {number} sorted */
function sortKey (key, sorted) { return Array.isArray(key) ? key.slice(0, sorted) : key }

/**
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('./run-query').Source} source
 * @param {QueryOptions} options of pouchdb-find's query
 * @param {Wanted} wanted
 * @returns {Promise<{ rows: FoundRow[] }>}
 */
async function findInIndex (store, source, options, wanted) {
  const found = new Found(wanted)
  const [range] = rangesOf(options)
  if (wanted.most <= 0) return found
  const isLeading = leading(options)
  for await (const page of source.pages(0, range)) {
    let at = page.findIndex(({ key }) => !isLeading(key))
    while (at >= 0 && at < page.length) {
      const part = page.slice(at, at + found.pace)
      if (await addPart(store, part, found)) return found
      at += part.length
    }
  }
  return found
}

/**
 * Tells the rows at the start of the range that it leaves out. A start key may have fewer fields than
 * the index.
 *
 * @param {QueryOptions} options
 * @returns {(key: any) => boolean} asked about one row after another
 */
function leading (options) {
  const { inclusive_start: inclusive, startkey } = options
  let leads = inclusive === false
  const head = (/** @type {any} */ key) => Array.isArray(key) && Array.isArray(startkey) && key.length > startkey.length ? key.slice(0, startkey.length) : key
  return key => {
    leads &&= collate(head(key), startkey) === 0
    return leads
  }
}

/** @param {DocumentStore} store @param {Array<{ id: string, key: any, value: any }>} rows @param {Found} found */
async function addPart (store, rows, found) {
  const read = await store.bulkGet(rows.map(({ id }) => ({ id })))
  for (let i = 0; i < rows.length; i++) {
    const result = read[i]
    // Deleted since it was indexed.
    if (!('ok' in result)) continue
    if (found.add({ ...rows[i], doc: toObject(result.ok) })) return true
  }
  return false
}

/**
 * The same of all documents, by id.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {{ key?: any, startkey?: any, endkey?: any, descending?: boolean, inclusive_end?: boolean }} options
 * @param {Wanted} wanted
 */
async function findInAll (store, { key, startkey = key, endkey = key, descending, inclusive_end: inclusiveEnd }, wanted) {
  const found = new Found(wanted)
  if (wanted.most <= 0) return found
  const { rows } = await store.allDocs({ startkey: startkey || undefined, endkey: endkey || undefined, descending, inclusiveEnd, includeDocs: true })
  for await (const page of rows) {
    for (const { id, document } of /** @type {Array<{ id: string, document: import('@potoroo/document-store').Document }>} */ (page)) {
      if (id.startsWith('_design/')) continue
      if (found.add({ id, key: id, value: null, doc: toObject(document) })) return found
    }
    await nextRound()
  }
  return found
}

module.exports = { findInAll, findInIndex }
