'use strict'

const { toJson } = require('@potoroo/document-store')

/** Documents that are read at once: few at first, then as many as make this many characters. */
const FIRST = 64
const CHARACTERS = 1024 * 1024

/** Bytes: what is longer would be longer than text can be, in base64. */
const ATTACHMENTS_LIMIT = 300 * 1024 * 1024

/**
 * Adds to each row its document, or the one that its value names: `{ _id }`, `{ _id, _rev }`, or
 * `{ _rev }` for another revision of its own. Where there is none, or no longer, the document is null.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {AsyncIterable<import('./view-result').TextRow[]>} pages
 * @param {import('@potoroo/document-store').ReadOptions & { encodings?: boolean }} reads what else is told of a row's own
 *   document; one that is named by its id comes as it stands, as from CouchDB
 * @returns {AsyncGenerator<import('./view-result').TextRow[]>}
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
      if (!reads.attachments) size = nextSize(size, rows)
      yield rows
    }
  }
}

function nextSize (size, rows) {
  let length = 0
  for (const { doc } of rows) length += doc.length
  return Math.max(1, Math.min(4 * size, Math.floor(rows.length * CHARACTERS / length)))
}

async function addDocuments (database, rows, reads) {
  const own = { rows: [], requests: [] }
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

async function fill (database, { rows, requests }, reads, isShown) {
  if (rows.length === 0) return
  const found = await database.bulkGet(requests, reads)
  for (let i = 0; i < rows.length; i++) {
    const { ok, error } = found[i]
    if (ok !== undefined && isShown(ok)) rows[i].doc = toJson(ok, { encodings: reads.encodings })
    else if (error?.status === 413) throw error
  }
}

/** What a value says of the document that is wanted; null: of none that can be. */
function linkOf (text) {
  if (text[0] !== '{' || !(text.includes('"_id":') || text.includes('"_rev":'))) return OWN
  const { _id: id, _rev: rev } = JSON.parse(text)
  if (!isTextOrMissing(id) || !isTextOrMissing(rev)) return null
  return { ...(id !== undefined && { id }), ...(rev !== undefined && { rev }) }
}

/** @type {{ id?: string, rev?: string }} */
const OWN = {}

function isTextOrMissing (value) { return value === undefined || typeof value === 'string' }

module.exports = { withDocuments }
