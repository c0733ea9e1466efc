'use strict'

const { RowReader } = require('../../index/row-reader')
const { takeSnapshot } = require('../../index/take-snapshot')
const { RowLayout } = require('../../rows/row-layout')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { PartitionRows, PartitionScopes } = require('../indexes/partition-scope')
const { StoredIndexes } = require('../indexes/stored-indexes')
const { choose, chooseOnly } = require('../plan/planner')
const { readBookmark } = require('../request/bookmark')
const { assertObject } = require('../request/find-request')
const { takeVector } = require('../vector/candidate')
const { answerFind } = require('./answer-find')
const { FindPlans } = require('./find-plans')

/**
 * @typedef {import('@potoroo/document-store').DocumentReader} DocumentReader
 * @typedef {import('../../index/stored-designs').Moment} Moment
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../indexes/partition-scope').FindDatabase} FindDatabase
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../plan/candidates').Candidate} Candidate
 * @typedef {import('../plan/planner').Judged} Judged
 * @typedef {import('./find-result').FindAnswer} FindAnswer
 */

/**
 * Finds documents in databases that another thread writes, by ordered indexes as they are stored: it updates nothing, and learns nothing. The
 * design documents, the rows and how far they have come are of one snapshot.
 */
class StoredMango {
  #indexes = new StoredIndexes()
  #scopes = new PartitionScopes()
  #plans = new FindPlans()
  #defaultLimit
  #warnAbove

  /** @param {{ defaultLimit: () => number, warnAbove: () => number }} options as of `Mango` */
  constructor ({ defaultLimit, warnAbove }) {
    this.#defaultLimit = defaultLimit
    this.#warnAbove = warnAbove
  }

  /**
   * Finds as `Mango.search` does.
   *
   * @param {DocumentReader} database
   * @param {any} body of `POST /{db}/_find`
   * @param {() => boolean} [isWanted] whether somebody still waits
   * @returns {Promise<FindAnswer | null>} to be closed; null where an index has to be made, updated or learned before, where there is a choice among
   *   several ways, and where documents are found by text or vectors, by no index, or with access by document
   * @throws bad_request and Mango's own errors
   */
  async search (database, body, isWanted) {
    if (database.byDocument) return null
    const taken = takeSnapshot(database.indexSpace)
    let answer = null
    try {
      answer = await this.#search(database, body, taken, isWanted)
      return answer
    } finally {
      if (answer === null) await taken.close()
    }
  }

  /**
   * @param {DocumentReader} database
   * @param {any} asked
   * @param {ReturnType<typeof takeSnapshot>} taken
   * @param {() => boolean} [isWanted]
   * @returns {Promise<FindAnswer | null>}
   */
  async #search (database, asked, { snapshot, close }, isWanted) {
    assertObject(asked)
    const { near, rest: body } = takeVector(asked)
    if (near !== null) return null
    const { text, request } = this.#plans.read(body, this.#defaultLimit())
    const moment = database.momentOf(snapshot)
    const least = request.updates ? moment : undefined
    const read = await this.#indexes.at(database, snapshot, moment, least)
    if (read === null || read.hasTexts) return null
    const { list } = this.#scopes.of(/** @type {any} */ (database), read.list, request.options.partition)
    const bookmark = request.bookmark === null ? null : readBookmark(request.bookmark)
    const judged = this.#plans.judge(text, request, list)
    const candidate = isPlain(judged) ? await candidateOf(database, request, judged, bookmark) : undefined
    const bound = candidate && await bind(candidate, database, snapshot, { least, partition: request.options.partition })
    return bound ? answerFind(new FewDocuments(database, snapshot), request, bound, { bookmark, isWanted, warnAbove: this.#warnAbove(), close }) : null
  }
}

/** Whether an index serves a request, so that there is nothing to learn from it. @param {Judged} judged */
function isPlain ({ pool: [first] }) { return first !== undefined && !first.indexes.includes(ALL_DOCS) }

/**
 * The way of a find, where no rows are to be looked at to choose it.
 *
 * @param {DocumentReader} database
 * @param {Asked} request
 * @param {Judged} judged
 * @param {import('../request/bookmark').Bookmark | null} bookmark
 */
async function candidateOf (database, request, judged, bookmark) {
  return bookmark === null ? chooseOnly(request, judged) : choose(database, request, judged, bookmark)
}

/**
 * The same way through the rows of a snapshot.
 *
 * @param {Candidate} candidate
 * @param {DocumentReader} database
 * @param {any} snapshot
 * @param {{ least?: Moment, partition: string }} options
 * @returns {Promise<Candidate | null>} null where an index of it has not come as far as `least`
 */
async function bind (candidate, { indexSpace }, snapshot, { least, partition }) {
  const layout = new RowLayout(indexSpace.prefix)
  /** @type {Map<IndexDescriptor, IndexDescriptor>} */
  const bound = new Map()
  for (const index of candidate.indexes) {
    if (index.stored === undefined) return null
    const { state: stored, collations, view } = index.stored
    const state = await stored.at(indexSpace, snapshot, least)
    if (state === null) return null
    const all = Object.assign(new RowReader(indexSpace, collations, layout.rowsOf(state.index), snapshot), { seq: state.seq })
    const opened = { rows: partition === '' ? all : new PartitionRows(all, `${partition}:`), view, update: () => undefined }
    bound.set(index, { ...index, open: () => opened })
  }
  return { ...candidate, scans: candidate.scans.map(scan => ({ ...scan, index: /** @type {IndexDescriptor} */ (bound.get(scan.index)) })) }
}

/**
 * A database of which a find sees few documents as they are in a snapshot, and others as they are.
 * @implements {FindDatabase}
 */
class FewDocuments {
  #database
  #snapshot

  /** @param {DocumentReader} database @param {any} snapshot */
  constructor (database, snapshot) {
    this.#database = database
    this.#snapshot = snapshot
  }

  get name () { return this.#database.name }
  get updateSeq () { return this.#database.updateSeq }
  get partitioned () { return this.#database.partitioned }
  /** @param {Parameters<DocumentReader['allDocs']>[0]} options */
  allDocs (options) { return this.#database.allDocs(options) }
  /** @param {Parameters<DocumentReader['bulkGet']>[0]} requests @param {Parameters<DocumentReader['bulkGet']>[1]} options */
  bulkGet (requests, options) { return this.#database.bulkGet(requests, options) }
  /** @param {string[]} ids */
  winnersSync (ids) { return this.#database.winnersOf(ids, this.#snapshot) }
}

module.exports = { StoredMango }
