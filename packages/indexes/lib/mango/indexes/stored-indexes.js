'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { StoredState } = require('../../index/stored-state')
const { describeGroup } = require('../../views/group')
const { kindsIn } = require('../text/indexes')
const { describeOrdered } = require('./design-indexes')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').DocumentReader} DocumentReader
 * @typedef {import('../../index/stored-designs').Moment} Moment
 * @typedef {import('./index-descriptor').IndexDescriptor} IndexDescriptor
 *
 * An index that another thread writes: `view` of the group that `state` is of.
 * @typedef {{ state: StoredState, collations: import('@potoroo/collation').Collation[], view: number }} StoredIndex
 *
 * The ordered indexes of a database, by design document and name, and whether there may be text indexes.
 * @typedef {{ list: IndexDescriptor[], hasTexts: boolean }} Read
 * @typedef {{ updateSeq: number, purgeSeq: number, revs: string, read: Read, time: number }} Known
 */

/** Milliseconds after which design documents are read again while all known indexes are behind. */
const PAUSE = 100

/** The indexes in the design documents of databases that another thread writes, read again when one of them has changed. */
class StoredIndexes {
  /** @type {WeakMap<DocumentReader, Known>} */
  #known = new WeakMap()

  /**
   * @param {DocumentReader} database
   * @param {any} snapshot
   * @param {Moment} moment of the snapshot
   * @param {Moment} [least] as of `StoredState.at`
   * @returns {Promise<Read | null>} null where they cannot be told of that moment, or where it is not worth reading them
   */
  async at (database, snapshot, moment, least) {
    const known = this.#known.get(database)
    if (known?.purgeSeq === moment.purgeSeq) {
      if (known.updateSeq === moment.updateSeq) return known.read
      // Each write leaves indexes behind: the owner is asked then.
      if (performance.now() - known.time < PAUSE && !await isSomeUsable(database, snapshot, known.read.list, least)) return null
    }
    const { updateSeq, revs, documents } = await readDesigns(database)
    // Nothing was purged in between, if nothing is by now.
    if (updateSeq !== moment.updateSeq || database.momentOf(undefined).purgeSeq !== moment.purgeSeq) return null
    const isSame = known !== undefined && known.revs === revs && known.purgeSeq === moment.purgeSeq
    const read = isSame ? known.read : await readIndexes(database, documents)
    this.#known.set(database, { ...moment, revs, read, time: performance.now() })
    return read
  }
}

/** @param {DocumentReader} database @param {any} snapshot @param {IndexDescriptor[]} list @param {Moment} [least] */
async function isSomeUsable ({ indexSpace }, snapshot, list, least) {
  for (const { stored } of list) if (await /** @type {StoredIndex} */ (stored).state.at(indexSpace, snapshot, least) !== null) return true
  return false
}

/** Most design documents are none of ours; that is seen without parsing them. @param {DocumentReader} database */
async function readDesigns (database) {
  const { rows, updateSeq } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  const documents = []
  for await (const page of /** @type {AsyncIterable<Array<{ document?: Document }>>} */ (rows)) {
    for (const { document } of page) if (document?.body.includes('"query"')) documents.push(document)
  }
  return { updateSeq, documents, revs: JSON.stringify(documents.map(({ id, rev }) => [id, rev])) }
}

/** @param {DocumentReader} database @param {Document[]} documents @returns {Promise<Read>} */
async function readIndexes (database, documents) {
  /** @type {Read} */
  const read = { list: [], hasTexts: false }
  for (const document of documents) {
    const ddoc = await toObjectInTurns(document)
    const group = describeGroup(database, ddoc)
    const state = new StoredState(group.signature)
    read.list.push(...describeOrdered(ddoc, group, view => ({ open: notHere, stored: { state, collations: group.collations, view } })))
    read.hasTexts ||= kindsIn(ddoc).length > 0
  }
  return read
}

/** @returns {never} */
function notHere () { throw new TypeError('It is read of a snapshot alone') }

module.exports = { StoredIndexes }
