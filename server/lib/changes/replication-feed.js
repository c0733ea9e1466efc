'use strict'

const { toJson } = require('@potoroo/document-store')

/** Changes whose revisions are read at a time. */
const SLICE = 100

/** Attachments longer than this, together those of one document, stay stubs: a client asks for them by themselves. */
const ATTACHMENTS_LIMIT = 1024 * 1024

/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('@potoroo/document-store').Change} Change */
/** @typedef {import('@potoroo/document-store').Document} Document */

/**
 * Sends the changes until now, each with its revisions as `_bulk_get` gives them to replicators: with their ancestors, and
 * with attachments that are not too long. A revision that cannot be read is left out: who wants it will be told why.
 *
 * @param {AnyDatabase} database
 * @param {import('@potoroo/document-store').ChangesOptions} options
 * @param {import('./format').ChangesWriter} writer
 */
async function sendWithRevisions (database, options, writer) {
  const changes = database.changes(options)
  for await (const page of changes) {
    for (let at = 0; at < page.length && !writer.closed; at += SLICE) await sendSlice(database, page.slice(at, at + SLICE), writer)
    if (writer.closed) break
  }
  return changes
}

/** @param {AnyDatabase} database @param {Change[]} slice @param {import('./format').ChangesWriter} writer */
async function sendSlice (database, slice, writer) {
  const wanted = slice.flatMap(({ id, changes }) => changes.map(({ rev }) => ({ id, rev })))
  const found = await database.bulkGet(wanted, { revs: true })
  let next = 0
  for (const change of slice) {
    const docs = []
    for (const { rev } of change.changes) {
      const answer = found[next++]
      if ('ok' in answer) docs.push(await textOf(database, rev, answer.ok))
    }
    await writer.write([{ ...change, docs }])
  }
}

/** Attachments are read one document at a time: they may be far longer than bodies. @param {AnyDatabase} database @param {string} rev @param {Document} document */
async function textOf (database, rev, document) {
  if (document.attachments === null) return toJson(document)
  const [whole] = await database.bulkGet([{ id: document.id, rev }], { revs: true, attachments: true, attachmentsLimit: ATTACHMENTS_LIMIT, stubsBeyond: true })
  return toJson('ok' in whole ? whole.ok : document)
}

module.exports = { sendWithRevisions }
