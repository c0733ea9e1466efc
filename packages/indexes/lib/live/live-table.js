'use strict'

const { Turn, toObjectInTurns } = require('@potoroo/document-store')
const { ShapeTable } = require('./shape-table')

/**
 * @import { Change, Document } from '@potoroo/document-store'
 * @import { LiveQuery } from './live-query'
 * @import { LiveSource } from './live-queries'
 */

/**
 * A document as a commit left it, for all queries that it concerns.
 *
 * @typedef {object} LiveRow
 * @property {number} seq
 * @property {string} id
 * @property {string} rev of the winner
 * @property {Document} document
 * @property {any} doc the same as an object, which nobody changes; null where it is deleted
 * @property {string} [text] the same as JSON, once somebody has asked for it
 */

/** The live queries of one source: it is followed once for all of them. */
class LiveTable {
  #source
  #onEmpty
  /** @type {Set<LiveQuery>} */
  #queries = new Set()
  /** Ids → the queries that have the document in their result. @type {Map<string, Set<LiveQuery>>} */
  #holders = new Map()
  /** @type {ShapeTable<LiveQuery>} */
  #shapes = new ShapeTable()
  #ending = new AbortController()
  /** Resolves when the work until now is done: one after another. @type {Promise<void>} */
  #work = Promise.resolve()
  #onPurge = () => { this.#afterwards(() => this.#heedPurges()) }
  /** Commits up to this sequence may be of documents that a purge has erased since. */
  #doubtful = 0

  /** @param {LiveSource} source @param {() => void} onEmpty is told when no query is left */
  constructor (source, onEmpty) {
    this.#source = source
    this.#onEmpty = onEmpty
    /** All commits up to here have been told, or are being told now. */
    this.seq = source.updateSeq
    this.purgeSeq = source.purgeSeq
    source.on('purge', this.#onPurge)
    this.#follow()
  }

  /** Queries that are there, and their shapes. */
  get figures () { return { queries: this.#queries.size, shapes: this.#shapes.shapes } }

  /** @param {LiveQuery} query */
  add (query) { this.#queries.add(query) }

  /** @param {LiveQuery} query that has ended: it has nothing in its result */
  leave (query) {
    if (!this.#queries.delete(query) || this.#queries.size > 0) return
    this.#ending.abort()
    this.#source.off('purge', this.#onPurge)
    this.#onEmpty()
  }

  /**
   * From now on a query is told of commits, if it knows of all before.
   *
   * @param {LiveQuery} query
   * @returns {(() => void) | null} takes it out again; null where commits were told that it does not know of
   */
  join (query) {
    const { seq, purgeSeq } = query.place
    if (seq < this.seq || purgeSeq < this.purgeSeq) return null
    return this.#shapes.add(query, query.access)
  }

  /** @param {string} id @param {LiveQuery} query */
  hold (id, query) {
    const holders = this.#holders.get(id)
    if (holders === undefined) this.#holders.set(id, new Set([query]))
    else holders.add(query)
  }

  /** @param {string} id @param {LiveQuery} query */
  release (id, query) {
    const holders = this.#holders.get(id)
    if (holders !== undefined && holders.delete(query) && holders.size === 0) this.#holders.delete(id)
  }

  async #follow () {
    let failure = null
    try {
      for await (const page of this.#source.follow({ since: this.seq, includeDocs: true, pending: false, signal: this.#ending.signal })) {
        await this.#afterwards(async () => {
          const turn = new Turn()
          for (const change of page) await this.#tell(change, turn)
        })
      }
    } catch (error) {
      failure = error
    }
    this.#endAll(failure)
  }

  /** A database that closes breaks off what reads it, which is no failure. @param {unknown} failure */
  #endAll (failure) { for (const query of [...this.#queries]) query.end(this.#source.closed ? null : failure) }

  /** @param {() => Promise<void>} work @returns {Promise<void>} */
  #afterwards (work) {
    this.#work = this.#work.then(work).catch(error => this.#endAll(error))
    return this.#work
  }

  /** @param {Change} change @param {Turn} turn */
  async #tell (change, turn) {
    this.seq = change.seq
    if (change.id.startsWith('_design/')) return
    if (!change.deleted && change.seq <= this.#doubtful && (await missing(this.#source, [change.id])).length > 0) return
    const read = readRow(change)
    const row = read instanceof Promise ? await read : read
    const found = new Set(this.#holders.get(row.id))
    if (row.doc !== null) this.#shapes.collect(row.doc, found)
    for (const query of found) {
      if (!query.hears(row.seq)) continue
      const verdict = query.matches(row)
      const matches = verdict instanceof Promise ? await verdict : verdict
      if (query.hears(row.seq)) query.hear(row, matches)
      if (turn.isLong) await turn.end()
    }
  }

  /** Documents that a purge has erased leave. Nothing else tells of them. */
  async #heedPurges () {
    const { updateSeq, purgeSeq } = this.#source
    const since = this.purgeSeq
    if (purgeSeq === since) return
    this.purgeSeq = purgeSeq
    this.#doubtful = updateSeq
    for (const id of await erasedSince(this.#source, since, this.#holders)) {
      for (const query of [...this.#holders.get(id) ?? []]) if (query.hears(Infinity)) query.hearErased(id, this.seq, purgeSeq)
    }
  }
}

/** @param {Change} change @returns {LiveRow | Promise<LiveRow>} */
function readRow ({ seq, id, deleted, document, changes: [{ rev }] }) {
  const row = { seq, id, rev, document: /** @type {Document} */ (document), doc: null }
  if (deleted) return row
  const doc = toObjectInTurns(row.document)
  return doc instanceof Promise ? doc.then(read => ({ ...row, doc: read })) : { ...row, doc }
}

/** Documents that are looked for at once. */
const PART = 500

/**
 * Finds those of some documents that were purged after a purge sequence, and are not there any more. A deleted one counts as erased.
 *
 * @param {LiveSource} source
 * @param {number} since
 * @param {{ has (id: string): boolean, keys (): Iterable<string> } | null} held their ids; null: of all documents
 * @returns {Promise<string[]>}
 */
async function erasedSince (source, since, held) {
  const { oldest, purges } = await source.purges({ since })
  const isWhole = oldest - 1 <= since
  const ids = isWhole || held === null ? [...new Set(purges.map(({ id }) => id))].filter(id => held?.has(id) ?? true) : [...held.keys()]
  const erased = []
  for (let at = 0; at < ids.length; at += PART) erased.push(...await missing(source, ids.slice(at, at + PART)))
  return erased
}

/** @param {LiveSource} source @param {string[]} ids @returns {Promise<string[]>} those of documents that are not there: erased, or deleted */
async function missing (source, ids) {
  const found = await source.bulkGet(ids.map(id => ({ id })))
  return ids.filter((_, i) => !('ok' in found[i]))
}

module.exports = { LiveTable, erasedSince, readRow }
