'use strict'

const { createError } = require('@potoroo/errors')

/** Partitions whose indexes are remembered, of one list of them. */
const REMEMBERED = 100

/**
 * What a find may read: in a partitioned database the indexes of partitions for one partition, and the
 * others for all of it. Lists stay the same as long as those do that they were made of.
 */
class PartitionScopes {
  /** @type {WeakMap<any[], Map<string, import('./index-descriptor').IndexDescriptor[]>>} */
  #known = new WeakMap()

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {import('./index-descriptor').IndexDescriptor[]} list
   * @param {string} partition '' for none
   * @returns {{ database: any, list: import('./index-descriptor').IndexDescriptor[], outside: import('./index-descriptor').IndexDescriptor[], kind: string }}
   *   outside: what others may use; kind: of an index that would do, as CouchDB words it
   * @throws query_parse_error where there are no partitions
   */
  of (database, list, partition) {
    if (!database.partitioned && partition === '') return { database, list, outside: [], kind: '' }
    if (partition === '') return { database, list: this.#listOf(list, ''), outside: list.filter(index => index.partitioned), kind: 'global ' }
    if (!database.partitioned) throw createError('QUERY_PARSE_ERROR', { reason: '`partition` parameter is not supported on this db' })
    return { database: new PartitionReader(database, partition), list: this.#listOf(list, partition), outside: list.filter(index => !index.partitioned), kind: 'partitioned ' }
  }

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

/** An index that shows the rows of one partition. @returns {import('./index-descriptor').IndexDescriptor} */
function within (index, prefix) {
  return {
    ...index,
    async open () {
      const { rows, ...opened } = await index.open()
      return { ...opened, rows: /** @type {any} */ (new PartitionRows(rows, prefix)) }
    }
  }
}

class PartitionRows {
  #rows
  #prefix

  /** @param {import('../rows/row-index').RowIndex} rows @param {string} prefix `name:` */
  constructor (rows, prefix) {
    this.#rows = rows
    this.#prefix = prefix
  }

  get seq () { return this.#rows.seq }
  pages (view, range, limit) { return this.#rows.pages(view, range, limit, this.#prefix) }
  count (view, range, most) { return this.#rows.count(view, range, most, this.#prefix) }
}

/** A database of which a find sees one partition. */
class PartitionReader {
  #database
  #partition

  /** @param {import('@potoroo/document-store').DocumentStore} database @param {string} partition */
  constructor (database, partition) {
    this.#database = database
    this.#partition = partition
  }

  get name () { return this.#database.name }
  get updateSeq () { return this.#database.updateSeq }
  get partitioned () { return true }
  allDocs (options) { return this.#database.allDocs({ ...options, partition: this.#partition }) }
  bulkGet (requests, options) { return this.#database.bulkGet(requests, options) }
}

module.exports = { PartitionScopes }
