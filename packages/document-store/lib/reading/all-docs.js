'use strict'

const { addHistory, originOf, wantsMore, winnersDocument } = require('./document')
const { allDocsAt } = require('../history/at')
const { loadAttachments } = require('../attachments/attachments')
const { MemberDocuments, surveySeen } = require('../access/member-documents')
const { nextPage } = require('./cursor')
const { isHidden } = require('./get')
const { canCount } = require('./id-ranks')
const { keyRange } = require('./key-range')
const { othersTurn } = require('./others-turn')
const { PartSize, TARGET_OF_SLOW } = require('./part-size')
const { partitionRange } = require('../store/partition')
const { DocumentRecord, isLive } = require('../media/record')
const { Turn } = require('../json/turn')
const { compareUtf8 } = require('../json/utf8-order')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Row } from '../feed/feed'
 * @import { AllDocsOptions, AllDocsRow, Document } from '../..'
 * @import { Member } from '../access/member'
 *
 * @typedef {{ row: AllDocsRow, record: DocumentRecord | null }} Read a row, and the record that it was made of
 */

/** Documents that are counted at once. */
const PAGE = 256

/** Rows that are skipped by reading them. */
const FEW = 256

/** Bytes of attachments beyond which the rows that have them go on before others are read. */
const CONTENT = 2 * 1024 * 1024

/**
 * Documents by id, in the byte order of UTF-8, read in one range scan over a snapshot.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../..').AllDocsOptions} [options]
 * @returns {Promise<import('../..').AllDocsResult>}
 */
async function allDocs (core, options = {}) {
  core.assertOpen()
  if (options.at !== undefined) return allDocsAt(core, options.partition === undefined ? options : within(options))
  // If others write meanwhile, the counts and the rows are of one moment.
  const snapshot = core.keyspace.shared ? core.keyspace.snapshot() : undefined
  if (options.as !== undefined) return memberDocs(core, options, options.as, snapshot)
  const { live: totalRows, seq: updateSeq } = core.totalsOf(snapshot)
  if (options.keys !== undefined) {
    return { totalRows, offset: null, updateSeq, rows: rowsOfKeys(core, /** @type {AllDocsOptions & { keys: string[] }} */ (options), snapshot) }
  }
  if (options.partition !== undefined) options = within(options)
  const offset = await offsetOf(core, options, totalRows, snapshot)
  return { totalRows, offset, updateSeq, rows: rowsOfRange(core, options, snapshot) }
}

/**
 * The same of what a member may see: it is counted by reading, and the last sequence is the last of theirs.
 *
 * @param {Core} core
 * @param {AllDocsOptions} options
 * @param {Member} as
 * @param {Snapshot} [taken]
 * @returns {Promise<import('../..').AllDocsResult>}
 */
async function memberDocs (core, options, as, taken) {
  const snapshot = taken ?? core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    const { totals } = await core.momentOf(snapshot)
    const { live: totalRows, principals, position } = await surveySeen(core, as, snapshot, totals.seq)
    const updateSeq = /** @type {any} */ (position)
    if (options.keys !== undefined) return { totalRows, offset: null, updateSeq, rows: rowsOfKeys(core, /** @type {any} */ (options), undefined) }
    const range = options.partition === undefined ? options : within(options)
    const before = options.exactOffset ? await countBefore(core, range, principals, snapshot) : 0
    // Rows are read at a later moment, when others of their principals may have some.
    return { totalRows, offset: Math.min(before + (range.skip ?? 0), totalRows), updateSeq, rows: rowsOfRange(core, range, undefined, as.principals) }
  } finally {
    await release()
  }
}

/**
 * How many documents that a member may see come before a range.
 *
 * @param {Core} core
 * @param {AllDocsOptions} options
 * @param {Set<string>} principals of the member
 * @param {Snapshot} snapshot
 */
async function countBefore (core, { startkey, descending }, principals, snapshot) {
  if (startkey === undefined) return 0
  const documents = new MemberDocuments(core, { endkey: startkey, inclusiveEnd: false, descending }, principals, snapshot)
  let count = 0
  try {
    for (let page = await documents.nextv(PAGE); page.length > 0; page = await documents.nextv(PAGE)) count += page.filter(([, text]) => isLive(text)).length
    return count
  } finally {
    await documents.close()
  }
}

/**
 * The part of a range that lies in a partition; what lies elsewhere is none of it.
 *
 * @param {AllDocsOptions} options
 */
function within (options) {
  const { first, end } = partitionRange(/** @type {string} */ (options.partition))
  const { startkey, endkey, descending = false } = options
  const [low, high] = descending ? [endkey, startkey] : [startkey, endkey]
  const least = low === undefined || compareUtf8(low, first) < 0 ? first : low
  const most = high === undefined || compareUtf8(high, end) > 0 ? end : high
  return descending ? { ...options, startkey: most, endkey: least } : { ...options, startkey: least, endkey: most }
}

/**
 * How many rows come before the first; counted only where that was asked for: see id-ranks.js.
 *
 * @param {Core} core
 * @param {AllDocsOptions} options
 * @param {Snapshot} [snapshot]
 * @param {number} total
 */
async function offsetOf (core, options, total, snapshot) {
  const { startkey, skip = 0, descending = false, exactOffset = false } = options
  if (startkey === undefined || !exactOffset) return Math.min(skip, total)
  const before = await core.idRanks.before(startkey, descending, snapshot)
  return Math.min(Math.max(0, descending ? total - before : before) + skip, total)
}

/** @param {Core} core @param {AllDocsOptions} options @param {Snapshot | undefined} taken @param {Set<string>} [principals] of a member, that have documents */
async function * rowsOfRange (core, options, taken, principals) {
  const { layout } = core
  let { skip = 0, limit = Infinity } = options
  if (limit <= 0) return taken?.close()
  const leavesOut = principals === undefined && skip > (core.keyspace.counts ? 0 : FEW)
  const snapshot = taken ?? (leavesOut || needsSnapshot(options) ? core.keyspace.snapshot() : undefined)
  /** @type {any} */
  let iterator
  const release = core.hold(() => close(iterator, snapshot))
  const page = new PartSize(TARGET_OF_SLOW)
  const turn = new Turn()
  try {
    const begin = leavesOut ? await beginOf(core, options, /** @type {Snapshot} */ (snapshot), taken === undefined) : undefined
    const range = { ...keyRange(layout.range(layout.documents), (id) => layout.document(id), options), ...begin?.range }
    iterator = principals === undefined ? core.keyspace.entries({ ...range, snapshot }) : new MemberDocuments(core, options, principals, /** @type {Snapshot} */ (snapshot))
    if (begin?.counts && iterator.skip(skip)) skip = 0
    else skip = begin?.skip ?? skip
    while (limit > 0) {
      const entries = await nextPage(core, iterator, Math.min(page.rows, limit + skip))
      if (entries.length === 0) break
      page.learnWeight(entries.length, entries.reduce((sum, [, text]) => sum + text.length, 0))
      const rows = []
      for (const [key, text] of entries) {
        if (!isLive(text)) continue
        const id = layout.idOf(key)
        const record = new DocumentRecord(text)
        if (isHiddenRecord(id, record, options)) continue
        if (skip > 0) skip--
        else if (rows.length < limit) {
          const row = rowOf(id, record, options)
          rows.push(row instanceof Promise ? await row : row)
        }
      }
      limit -= rows.length
      yield * completeRows(core, rows, options, turn, snapshot)
    }
  } finally {
    await release()
  }
}

/**
 * Finds where a range begins once rows are left out: the level counts them, or, where they are many and deleted documents are
 * in between, ranks of ids do: see id-ranks.js.
 *
 * @param {Core} core
 * @param {AllDocsOptions} options
 * @param {Snapshot} snapshot
 * @param {boolean} isNow it was taken just now
 * @returns {Promise<{ counts?: boolean, range?: { gte?: string, lt?: string }, skip?: number } | undefined>} counts: the level
 *   leaves them out; skip: what is left to be skipped in `range`; undefined: all of it
 */
async function beginOf (core, { startkey, skip = 0, descending = false }, snapshot, isNow) {
  const { idRanks, layout, totals, keyspace } = core
  if (keyspace.counts && canCount(core, snapshot)) return { counts: true }
  if (startkey !== undefined || skip <= FEW || !isNow) return undefined
  const rank = descending ? totals.live - skip - 1 : skip
  const place = rank < 0 ? undefined : await idRanks.place(rank, snapshot)
  if (place === undefined) return undefined
  const { first, before, next, until } = place
  if (!descending) return { range: { gte: layout.document(first) }, skip: skip - before }
  return next === undefined ? undefined : { range: { lt: layout.document(next) }, skip: until - rank - 1 }
}

/** Whether a document is not for who asks, for what reason ever it was read. @param {string} id @param {DocumentRecord} record @param {AllDocsOptions} options */
function isHiddenRecord (id, record, { as }) { return as !== undefined && isHidden(as, id, record) }

/** @param {AllDocsOptions} options */
function needsSnapshot (options) {
  if (options.as !== undefined) return true
  return options.includeDocs === true && (options.attachments === true || options.revsInfo === true)
}

/** @param {any} iterator @param {any} snapshot */
async function close (iterator, snapshot) {
  await iterator.close()
  await snapshot?.close()
}

/** @param {string} id @param {DocumentRecord} record @param {AllDocsOptions} options @returns {Read | Promise<Read>} a promise of a very large one */
function rowOf (id, record, options) {
  if (!options.includeDocs) return { row: { id, key: id, value: valueOf(record, options) }, record }
  const made = winnersDocument(id, record)
  return made instanceof Promise ? made.then((document) => rowWith(document, record, options)) : rowWith(made, record, options)
}

/** @param {Document} document @param {DocumentRecord} record @param {AllDocsOptions} options @returns {Read} */
function rowWith (document, record, options) {
  const { id } = document
  return { row: { id, key: id, value: valueOf(record, options), document }, record }
}

/** @param {DocumentRecord} record @param {AllDocsOptions} options */
function valueOf (record, { as, meta }) { return meta ? { rev: record.rev, meta: originOf(record, as) } : { rev: record.rev } }

/**
 * Rows with all that was asked for, in parts: compressed attachments may be far longer than they say. Rows
 * that have gone on are not held here.
 *
 * @param {Core} core
 * @param {Read[]} rows
 * @param {AllDocsOptions} options
 * @param {Turn} turn of all parts: one of large documents may have a single row
 * @param {Snapshot} [snapshot]
 */
async function * completeRows (core, rows, options, turn, snapshot) {
  if (!options.includeDocs || (!wantsMore(options) && !options.attachments)) {
    if (rows.length > 0) yield rows.map(({ row }) => row)
    return
  }
  let part = []
  let bytes = 0
  while (rows.length > 0) {
    if (turn.isLong) await othersTurn(core, turn)
    const { row, record } = /** @type {Read} */ (rows.shift())
    bytes += await completeRow(core, row, /** @type {DocumentRecord} */ (record), options, snapshot)
    part.push(row)
    if (bytes < CONTENT) continue
    yield part
    part = []
    bytes = 0
  }
  if (part.length > 0) yield part
}

/**
 * @param {Core} core
 * @param {AllDocsRow & { document?: Document | null }} row
 * @param {DocumentRecord} record of its document, if there is one
 * @param {AllDocsOptions} options
 * @param {Snapshot} [snapshot]
 * @returns {Promise<number>} bytes of the attachments that came along
 */
async function completeRow (core, { document }, record, options, snapshot) {
  if (document === null || document === undefined) return 0
  if (wantsMore(options)) await addHistory(core, document, record, options, snapshot)
  if (!options.attachments || document.attachments === null) return 0
  await loadAttachments(core, document, record, options, snapshot)
  return Object.values(document.attachments).reduce((sum, { data }) => sum + (data?.length ?? 0), 0)
}

/** @param {Core} core @param {AllDocsOptions & { keys: string[] }} options @param {Snapshot | undefined} taken */
async function * rowsOfKeys (core, options, taken) {
  const { skip = 0, limit = Infinity, descending = false } = options
  const keys = (descending ? [...options.keys].reverse() : options.keys).slice(skip, skip + limit)
  const snapshot = taken ?? core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    const page = new PartSize(TARGET_OF_SLOW)
    const turn = new Turn()
    for (let at = 0, count; at < keys.length; at += count) {
      core.assertOpen()
      count = page.rows
      const rows = await pageOfKeys(core, keys.slice(at, at + count), options, snapshot)
      page.learnWeight(rows.length, rows.reduce((sum, { record }) => sum + (record?.size ?? 0), 0))
      yield * completeRows(core, rows, options, turn, snapshot)
    }
  } finally {
    await release()
  }
}

/** @param {Core} core @param {string[]} keys @param {AllDocsOptions} options @param {Snapshot} [snapshot] @returns {Promise<Read[]>} */
async function pageOfKeys (core, keys, options, snapshot) {
  const texts = await core.keyspace.getMany(keys.map((key) => core.layout.readable(key)), snapshot)
  /** @type {Read[]} */
  const rows = []
  for (let i = 0; i < keys.length; i++) {
    const text = texts[i]
    const record = text === undefined ? null : new DocumentRecord(text)
    const row = record !== null && !isHiddenRecord(keys[i], record, options) ? keyRow(keys[i], record, options) : { row: { key: keys[i], error: /** @type {const} */ ('not_found') }, record: null }
    rows.push(row instanceof Promise ? await row : row)
  }
  return rows
}

/** @param {string} key @param {DocumentRecord} record @param {AllDocsOptions} options @returns {Read | Promise<Read>} */
function keyRow (key, record, options) {
  if (!record.deleted) return rowOf(key, record, options)
  /** @type {Extract<AllDocsRow, { value: object }>} */
  const row = { id: key, key, value: { ...valueOf(record, options), deleted: true } }
  if (options.includeDocs) row.document = null
  return { row, record }
}

module.exports = { allDocs }
