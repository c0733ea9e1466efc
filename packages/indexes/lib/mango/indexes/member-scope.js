'use strict'

const { MergedCursor } = require('../../index/merged-cursor')
const { readRow } = require('../../rows/row')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../../index/row-index').RowIndex} RowIndex
 * @typedef {import('../../rows/key-range').KeyRange} KeyRange
 * @typedef {import('./index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('./partition-scope').FindDatabase} FindDatabase
 * @typedef {import('./partition-scope').IndexRows} IndexRows
 */

/** Members whose indexes are remembered, of one list of them. */
const REMEMBERED = 100

/** Records that are read at once. */
const PAGE = 256

/**
 * Tells what a find of a member may read, in a database with access by document: their own documents, and their rows of
 * indexes by principal. Lists stay the same as long as those do that they were made of.
 */
class MemberScopes {
  /** @type {WeakMap<IndexDescriptor[], Map<string, IndexDescriptor[]>>} */
  #known = new WeakMap()

  /**
   * @param {DocumentStore} database
   * @param {IndexDescriptor[]} list
   * @param {MemberStore} reader
   * @returns {{ database: FindDatabase, list: IndexDescriptor[] }}
   */
  of (database, list, reader) { return { database: new MemberReader(database, reader), list: this.#listOf(list, reader.principals) } }

  /** @param {IndexDescriptor[]} list @param {string[]} principals */
  #listOf (list, principals) {
    let lists = this.#known.get(list)
    if (lists === undefined) this.#known.set(list, lists = new Map())
    const name = principals.join()
    const known = lists.get(name)
    if (known !== undefined) return known
    const own = list.filter(({ openFor }) => openFor !== undefined).map(index => ({ ...index, open: () => /** @type {NonNullable<IndexDescriptor['openFor']>} */ (index.openFor)(principals) }))
    if (lists.size >= REMEMBERED) lists.clear()
    lists.set(name, own)
    return own
  }
}

/**
 * A database of which a find sees what a member may.
 * @implements {FindDatabase}
 */
class MemberReader {
  #database
  #reader

  /** @param {DocumentStore} database @param {MemberStore} reader */
  constructor (database, reader) {
    this.#database = database
    this.#reader = reader
  }

  get name () { return this.#database.name }
  /** For plans alone. */
  get updateSeq () { return this.#database.updateSeq }
  get partitioned () { return this.#database.partitioned }
  /** @param {Parameters<DocumentStore['allDocs']>[0]} options @returns {Promise<any>} */
  allDocs (options) { return this.#reader.allDocs(options) }
  /** @param {Parameters<DocumentStore['bulkGet']>[0]} requests @param {Parameters<DocumentStore['bulkGet']>[1]} options */
  bulkGet (requests, options) { return this.#reader.bulkGet(requests, options) }
}

/**
 * The rows of an index that some principals may see.
 * @implements {IndexRows}
 */
class PrincipalRows {
  #rows
  #principals

  /** @param {RowIndex} rows of all @param {string[]} principals */
  constructor (rows, principals) {
    this.#rows = rows
    this.#principals = principals
  }

  get seq () { return this.#rows.seq }

  /** @param {number} view @param {KeyRange} range */
  #cursor (view, range) { return new MergedCursor(this.#principals.map(principal => this.#rows.cursor(view, range, `${principal}:`)), range.descending) }

  /** @param {number} view @param {KeyRange} range @param {number} [limit] @returns {AsyncGenerator<Array<{ id: string, key: any, value: any }>>} */
  async * pages (view, range, limit = Infinity) {
    const cursor = this.#cursor(view, range)
    const { accepts } = range
    try {
      while (limit > 0) {
        const records = await cursor.page(Math.min(PAGE, limit))
        if (records.length === 0) return
        const rows = records.map(([key, text]) => readRow(this.#rows.collations[view], key, text, 0))
        const accepted = accepts === undefined ? rows : rows.filter(({ key }) => accepts(key))
        limit -= accepted.length
        if (accepted.length > 0) yield accepted
      }
    } finally {
      await cursor.close()
    }
  }

  /** @param {number} view @param {KeyRange} range @param {number} most */
  async count (view, range, most) {
    const cursor = this.#cursor(view, range)
    try {
      return (await cursor.page(most)).length
    } finally {
      await cursor.close()
    }
  }
}

module.exports = { MemberScopes, PrincipalRows }
