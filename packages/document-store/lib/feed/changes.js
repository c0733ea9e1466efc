'use strict'

const { addHistory, wantsMore, winnersDocument } = require('../reading/document')
const { othersTurn } = require('../reading/others-turn')
const { loadAttachments } = require('../attachments/attachments')
const { nextPage } = require('../reading/cursor')
const { PartSize, TARGET_OF_SLOW } = require('../reading/part-size')
const { decodeChange, DocumentRecord } = require('../media/record')
const { encodeRevision } = require('../revision-tree/revision')
const { Turn, inTurns } = require('../json/turn')

/**
 * @import { Change, ChangesOptions } from '../..'
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Totals } from '../commit/totals'
 * @import { Row } from './feed'
 *
 * @typedef {object} Scan
 * @property {Snapshot} snapshot
 * @property {number} limit changes that may still be given
 * @property {ReturnType<Core['keyspace']['entries']> | null} iterator
 * @property {PartSize} part
 * @property {Totals} totals of the snapshot
 * @property {number} commits see ranks.js
 *
 * @typedef {Omit<Row, 'record'> & { record: string | null }} ReadRow a row whose document may not be read yet
 * @typedef {{ pendingAfter (rows: Array<{ seq: number }>, lastSeq: number): number }} RowCounter
 */

const PAGE = 256

/** Up to this many documents are looked up one by one; more are found by scanning. */
const MAX_LOOKUPS = 1000

/**
 * The changes of one snapshot, page by page. A document appears once, at its last change.
 *
 * @see https://docs.couchdb.org/en/stable/api/database/changes.html
 */
class ChangesReader {
  #core
  #options

  /**
   * @param {import('../store/core').Core} core
   * @param {import('../..').ChangesOptions} options
   */
  constructor (core, options = {}) {
    this.#core = core
    this.#options = { ...options, since: sequenceFrom(options.since) }
    this.lastSeq = this.#options.since
    this.pending = 0
  }

  /** With `pendingOfRows`: changes from the start on, less those that were given. */
  #left = 0

  async * [Symbol.asyncIterator] () {
    const core = this.#core
    core.assertOpen()
    const { docIds, limit = Infinity } = this.#options
    const snapshot = core.keyspace.snapshot()
    const scan = /** @type {Scan} */ ({ snapshot, limit, iterator: null, part: this.#partSize() })
    const release = core.hold(() => closeScan(scan))
    try {
      Object.assign(scan, await core.momentOf(snapshot))
      const { pending, pendingOfRows } = this.#options
      if (pendingOfRows && pending !== false) this.pending = this.#left = (await core.ranks.start(this.#options, scan)).pendingAfter([], this.lastSeq)
      if (limit > 0) yield * docIds !== undefined && docIds.length <= MAX_LOOKUPS ? this.#lookUp(scan) : this.#scan(scan)
      else if (this.#options.pending !== false) this.pending = (await core.ranks.start(this.#options, scan)).pendingAfter([], this.lastSeq)
    } finally {
      await release()
    }
  }

  /** Filters take many at once. */
  #partSize () { return this.#options.filter === undefined ? new PartSize(TARGET_OF_SLOW) : new PartSize() }

  /** @param {Scan} scan */
  async * #scan (scan) {
    const core = this.#core
    const wanted = this.#options.docIds === undefined ? null : await setOf(this.#options.docIds)
    const counter = this.#options.pending === false ? NO_COUNTER : await core.ranks.start(this.#options, scan)
    scan.iterator = core.keyspace.entries({ ...this.#range(scan), snapshot: scan.snapshot })
    while (scan.limit > 0) {
      const size = wanted === null && this.#options.filter === undefined ? Math.min(PAGE, scan.limit) : PAGE
      const entries = await nextPage(core, scan.iterator, size)
      if (entries.length === 0) break
      const rows = entries.map(([key, text]) => toRow(core.layout.sequenceOf(key), text))
      yield * this.#emitParts(rows, wanted, scan, counter)
    }
    if (scan.limit > 0) this.#finish(scan)
  }

  /** @param {Scan} scan */
  #range ({ totals }) {
    const { layout } = this.#core
    const lte = layout.sequence(totals.seq)
    if (this.#options.descending) return { gte: layout.range(layout.sequences).gte, lte, reverse: true }
    return { gt: layout.sequence(this.#options.since ?? 0), lte }
  }

  /** @param {Scan} scan */
  async * #lookUp (scan) {
    const { layout, keyspace } = this.#core
    const { since = 0, descending = false, docIds } = this.#options
    const ids = [...new Set(docIds)]
    const texts = await keyspace.getMany(ids.map((id) => layout.readable(id)), scan.snapshot)
    this.#core.assertOpen()
    const found = texts.filter((text) => text !== undefined).map((text) => new DocumentRecord(text).seq)
    const seqs = found.filter((seq) => descending || seq > since).sort((a, b) => descending ? b - a : a - b)
    for (let at = 0; at < seqs.length && scan.limit > 0; at += PAGE) {
      const page = seqs.slice(at, at + PAGE)
      const changes = await keyspace.getMany(page.map((seq) => layout.sequence(seq)), scan.snapshot)
      this.#core.assertOpen()
      yield * this.#emitParts(page.map((seq, i) => toRow(seq, changes[i])), null, scan, NO_COUNTER)
    }
    if (scan.limit > 0) this.#finish(scan)
  }

  /**
   * Documents are read for a few rows at a time.
   *
   * @param {ReadRow[]} rows
   * @param {Set<string> | null} wanted
   * @param {Scan} scan
   * @param {RowCounter} counter
   */
  async * #emitParts (rows, wanted, scan, counter) {
    if (!this.#options.includeDocs && this.#options.filter === undefined) return yield * this.#emit(rows, wanted, scan, counter)
    const turn = new Turn()
    for (let at = 0; at < rows.length && scan.limit > 0;) {
      if (turn.isLong) await othersTurn(this.#core, turn)
      // Compressed attachments may be far longer than those that were read last.
      const part = rows.slice(at, at + (this.#options.attachments ? 1 : scan.part.rows))
      at += part.length
      yield * this.#emit(part, wanted, scan, counter)
    }
  }

  /**
   * Filters a page and says how far it got.
   *
   * @param {ReadRow[]} rows
   * @param {Set<string> | null} wanted
   * @param {Scan} scan
   * @param {RowCounter} counter
   */
  async * #emit (rows, wanted, scan, counter) {
    const chosen = wanted === null ? rows : rows.filter((row) => wanted.has(row.id))
    const passed = await selectChanges(this.#core, chosen, this.#options, scan.snapshot)
    // With content of attachments, documents are read one by one anyway.
    if (this.#options.includeDocs || this.#options.filter !== undefined) scan.part.learnWeight(chosen.length, chosen.reduce((sum, { record }) => sum + (record?.length ?? 0), 0))
    const page = passed.length > scan.limit ? passed.slice(0, scan.limit) : passed
    scan.limit -= page.length
    this.lastSeq = scan.limit === 0 ? page[page.length - 1].seq : rows[rows.length - 1].seq
    const pending = counter.pendingAfter(rows, this.lastSeq)
    this.pending = this.#options.pendingOfRows ? (this.#left = Math.max(0, this.#left - page.length)) : pending
    if (page.length > 0) yield page
  }

  /** @param {Scan} scan */
  #finish (scan) {
    if (!this.#options.descending) this.lastSeq = Math.max(this.lastSeq, scan.totals.seq)
    this.pending = this.#left
  }
}

/** @param {string[]} ids @returns {Promise<Set<string>>} */
async function setOf (ids) {
  const set = new Set()
  await inTurns(ids, (id) => { set.add(id) })
  return set
}

/** Any number as a sequence that there may be. @param {number | undefined} since */
function sequenceFrom (since) {
  return /** @type {number} */ (since) > 0 ? Math.min(Math.floor(/** @type {number} */ (since)), Number.MAX_SAFE_INTEGER) : 0
}

const NO_COUNTER = { pendingAfter: () => 0 }

/** @param {Scan} scan */
async function closeScan (scan) {
  await scan.iterator?.close()
  await scan.snapshot.close()
}

/** @param {number} seq @param {string | undefined} text @returns {ReadRow} */
function toRow (seq, text) {
  const { id, deleted, leaves } = decodeChange(/** @type {string} */ (text))
  return { seq, id, deleted, leaves, record: null }
}

/**
 * Rows as changes, with documents where asked for, and without those that a filter refuses.
 *
 * @param {import('../store/core').Core} core
 * @param {ReadRow[]} rows
 * @param {import('../..').ChangesOptions} options
 * @param {Snapshot} [snapshot]
 * @returns {Promise<import('../..').Change[]>}
 */
async function selectChanges (core, rows, options, snapshot) {
  const { style, includeDocs, filter } = options
  const { as } = options
  if (as !== undefined && style === 'all_docs') await hideLeaves(core, rows, as, snapshot)
  const changes = rows.map((row) => toChange(row, style))
  if (!includeDocs && filter === undefined) return changes
  await addDocuments(core, rows, changes, options, snapshot)
  if (filter === undefined || changes.length === 0) return changes
  const verdicts = await filter(changes)
  const passed = changes.filter((change, i) => verdicts[i])
  if (!includeDocs) for (const change of passed) delete change.document
  return passed
}

/**
 * Leaves a member those leaves that they may see. The winner is.
 *
 * @param {Core} core
 * @param {ReadRow[]} rows
 * @param {Pick<import('../access/member').Member, 'readsPayload'>} as
 * @param {Snapshot} [snapshot]
 */
async function hideLeaves (core, rows, as, snapshot) {
  for (const row of rows) {
    if (row.leaves.length === 1) continue
    const [winner, ...losers] = row.leaves
    const payloads = await core.keyspace.getMany(losers.map(rev => core.layout.revision(row.id, encodeRevision(rev))), snapshot)
    row.leaves = [winner, ...losers.filter((_, i) => payloads[i] !== undefined && as.readsPayload(row.id, /** @type {string} */ (payloads[i])))]
  }
}

/** @param {Omit<ReadRow, 'record'>} row @param {'main_only' | 'all_docs'} [style] @returns {Change} */
function toChange ({ seq, id, deleted, leaves }, style) {
  const changes = style === 'all_docs' ? leaves.map((rev) => ({ rev })) : [{ rev: leaves[0] }]
  return { seq, id, changes, deleted }
}

/** @param {Core} core @param {ReadRow[]} rows @param {Snapshot} [snapshot] */
async function readRecords (core, rows, snapshot) {
  if (rows.length === 0) return
  const texts = await core.keyspace.getMany(rows.map((row) => core.layout.document(row.id)), snapshot)
  rows.forEach((row, i) => { row.record = /** @type {string} */ (texts[i]) })
}

/**
 * @param {Core} core
 * @param {ReadRow[]} rows
 * @param {Change[]} changes
 * @param {ChangesOptions} options
 * @param {Snapshot} [snapshot]
 */
async function addDocuments (core, rows, changes, options, snapshot) {
  await readRecords(core, rows.filter((row) => row.record === null), snapshot)
  const more = wantsMore(options)
  for (let i = 0; i < rows.length; i++) {
    const record = new DocumentRecord(/** @type {string} */ (rows[i].record))
    const made = winnersDocument(rows[i].id, record)
    const document = made instanceof Promise ? await made : made
    if (more) await addHistory(core, document, record, options, snapshot)
    if (options.attachments && document.attachments !== null) await loadAttachments(core, document, record, options, snapshot)
    changes[i].document = document
  }
}

module.exports = { ChangesReader, sequenceFrom, selectChanges, toChange }
