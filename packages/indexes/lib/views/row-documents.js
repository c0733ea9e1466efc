'use strict'

const { toJson } = require('@potoroo/document-store')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').ReadOptions & { encodings?: boolean }} DocumentReads
 * @typedef {import('./view-result').MappedRow} MappedRow
 * @typedef {{ rows: MappedRow[], requests: Array<{ id: string, rev?: string }> }} Linked rows, and the documents that they name
 */

/** Documents that are read at once: few at first, then as many as make this many characters. */
const FIRST = 64
const CHARACTERS = 1024 * 1024

/** Bytes: what is longer would be longer than text can be, in base64. */
const ATTACHMENTS_LIMIT = 300 * 1024 * 1024

/**
 * Adds to each row its document, or the one that its value names: `{ _id }`, `{ _id, _rev }`, or
 * `{ _rev }` for another revision of its own. The document is null if there is none, or no longer.
 *
 * @param {Pick<DocumentStore, 'bulkGet'>} database
 * @param {AsyncIterable<MappedRow[]>} pages
 * @param {DocumentReads} reads what else is told of a row's own document; one that is named by its id comes as it
 *   stands, as from CouchDB
 * @returns {AsyncGenerator<MappedRow[]>}
 * @see https://docs.couchdb.org/en/stable/ddocs/views/joins.html#linked-documents
 */
async function * withDocuments (database, pages, reads) {
  // Compressed attachments may be far longer than those that were read last.
  let size = reads.attachments ? 1 : FIRST
  for await (const page of pages) {
    for (let at = 0; at < page.length;) {
      const rows = at === 0 && page.length <= size ? page : page.slice(at, at + size)
      await addDocuments(database, rows, reads)
      at += rows.length
      if (!reads.attachments) size = nextSize(size, /** @type {Array<Required<MappedRow>>} */ (rows))
      yield rows
    }
  }
}

/** @param {number} size @param {Array<Required<MappedRow>>} rows */
function nextSize (size, rows) {
  let length = 0
  for (const { doc } of rows) length += doc.length
  return Math.max(1, Math.min(4 * size, Math.floor(rows.length * CHARACTERS / length)))
}

/** @param {Pick<DocumentStore, 'bulkGet'>} database @param {MappedRow[]} rows @param {DocumentReads} reads */
async function addDocuments (database, rows, reads) {
  /** @type {Linked} */
  const own = { rows: [], requests: [] }
  /** @type {Linked} */
  const named = { rows: [], requests: [] }
  for (const row of rows) {
    row.doc = 'null'
    const link = linkOf(row.value)
    if (link === null) continue
    const group = link.id === undefined ? own : named
    group.rows.push(row)
    group.requests.push({ id: row.id, ...link })
  }
  await fill(database, own, reads.attachments ? { ...reads, attachmentsLimit: ATTACHMENTS_LIMIT, stubsBeyond: true } : reads, ({ deleted }) => !deleted)
  await fill(database, named, {}, () => true)
}

/**
 * @param {Pick<DocumentStore, 'bulkGet'>} database
 * @param {Linked} group
 * @param {DocumentReads} reads
 * @param {(document: Document) => boolean} isShown
 */
async function fill (database, { rows, requests }, reads, isShown) {
  if (rows.length === 0) return
  const found = await database.bulkGet(requests, reads)
  for (let i = 0; i < rows.length; i++) {
    const result = found[i]
    if (!('ok' in result)) refuseLong(result.error)
    else if (isShown(result.ok)) rows[i].doc = toJson(result.ok, { encodings: reads.encodings })
  }
}

/** @param {Error & { status?: number }} error */
function refuseLong (error) { if (error.status === 413) throw error }

/**
 * Reads what a value says of the document that is wanted; null: of none that can be.
 *
 * @param {string} text
 * @returns {{ id?: string, rev?: string } | null}
 */
function linkOf (text) {
  if (text[0] !== '{' || !(text.includes('"_id":') || text.includes('"_rev":'))) return OWN
  const { _id: id, _rev: rev } = JSON.parse(text)
  if (!isTextOrMissing(id) || !isTextOrMissing(rev)) return null
  return { ...(id !== undefined && { id }), ...(rev !== undefined && { rev }) }
}

/** @type {{ id?: string, rev?: string }} */
const OWN = {}

/** @param {unknown} value */
function isTextOrMissing (value) { return value === undefined || typeof value === 'string' }

module.exports = { withDocuments }
