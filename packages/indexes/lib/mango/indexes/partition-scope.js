'use strict'

const { createError } = require('@potoroo/errors')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../../rows/key-range').KeyRange} KeyRange
 */

/**
 * The members of a database, or of one partition of it, that a find reads.
 * @typedef {Pick<DocumentStore, 'name' | 'updateSeq' | 'partitioned' | 'allDocs' | 'bulkGet'> & Partial<Pick<DocumentStore, 'winnersSync'>>} FindDatabase
 *
 * @typedef {import('./index-descriptor').OpenIndex['rows']} IndexRows
 */

/** Partitions whose indexes are remembered, of one list of them. */
const REMEMBERED = 100

/**
 * Tells what a find may read: in a partitioned database the indexes of partitions for one partition, and the
 * others for all of it. Lists stay the same as long as those do that they were made of.
 */
class PartitionScopes {
  /** @type {WeakMap<IndexDescriptor[], Map<string, IndexDescriptor[]>>} */
  #known = new WeakMap()

  /**
   * @param {DocumentStore} database
   * @param {IndexDescriptor[]} list
   * @param {string} partition '' for none
   * @returns {{ database: FindDatabase, list: IndexDescriptor[], outside: IndexDescriptor[], kind: string }}
   *   outside: what others may use; kind: of an index that would do, as CouchDB words it
   * @throws query_parse_error where there are no partitions
   */
  of (database, list, partition) {
    if (!database.partitioned && partition === '') return { database, list, outside: [], kind: '' }
    if (partition === '') return { database, list: this.#listOf(list, ''), outside: list.filter(index => index.partitioned), kind: 'global ' }
    if (!database.partitioned) throw createError('QUERY_PARSE_ERROR', { reason: '`partition` parameter is not supported on this db' })
    return { database: new PartitionReader(database, partition), list: this.#listOf(list, partition), outside: list.filter(index => !index.partitioned), kind: 'partitioned ' }
  }

  /** @param {IndexDescriptor[]} list @param {string} partition @returns {IndexDescriptor[]} */
  #listOf (list, partition) {
    let lists = this.#known.get(list)
    if (lists === undefined) this.#known.set(list, lists = new Map())
    let scoped = lists.get(partition)
    if (scoped !== undefined) return scoped
    scoped = partition === '' ? list.filter(index => !index.partitioned) : list.filter(index => index.partitioned).map(index => within(index, `${partition}:`))
    if (lists.size >= REMEMBERED) lists.clear()
    lists.set(partition, scoped)
    return scoped
  }
}

/**
 * An index that shows the rows of one partition.
 *
 * @param {IndexDescriptor} index
 * @param {string} prefix
 * @returns {import('./index-descriptor').IndexDescriptor}
 */
function within (index, prefix) {
  return {
    ...index,
    async open () {
      const { rows, ...opened } = await index.open()
      return { ...opened, rows: new PartitionRows(rows, prefix) }
    }
  }
}

/** @implements {IndexRows} */
class PartitionRows {
  #rows
  #prefix

  /** @param {IndexRows} rows of all partitions @param {string} prefix `name:` */
  constructor (rows, prefix) {
    this.#rows = rows
    this.#prefix = prefix
  }

  get seq () { return this.#rows.seq }
  /** @param {number} view @param {KeyRange} range @param {number} [limit] */
  pages (view, range, limit) { return this.#rows.pages(view, range, limit, this.#prefix) }
  /** @param {number} view @param {KeyRange} range @param {number} wanted */
  few (view, range, wanted) { return this.#rows.few?.(view, range, wanted, this.#prefix) }
  /** @param {number} view @param {KeyRange} range @param {number} most */
  count (view, range, most) { return this.#rows.count(view, range, most, this.#prefix) }
}

/**
 * A database of which a find sees one partition.
 * @implements {FindDatabase}
 */
class PartitionReader {
  #database
  #partition

  /** @param {DocumentStore} database @param {string} partition */
  constructor (database, partition) {
    this.#database = database
    this.#partition = partition
  }

  get name () { return this.#database.name }
  get updateSeq () { return this.#database.updateSeq }
  get partitioned () { return true }
  /** @param {Parameters<DocumentStore['allDocs']>[0]} options */
  allDocs (options) { return this.#database.allDocs({ ...options, partition: this.#partition }) }
  /**
   * @param {Parameters<DocumentStore['bulkGet']>[0]} requests
   * @param {Parameters<DocumentStore['bulkGet']>[1]} options
   */
  bulkGet (requests, options) { return this.#database.bulkGet(requests, options) }
  /** @param {string[]} ids */
  winnersSync (ids) { return this.#database.winnersSync(ids) }
}

module.exports = { PartitionRows, PartitionScopes }
