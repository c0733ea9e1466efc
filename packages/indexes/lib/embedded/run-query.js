'use strict'

const { rangesOf } = require('./query-options')
const { reduceQuery } = require('./reduce-query')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./query-options').QueryOptions} QueryOptions
 */

/**
 * Rows to query: those of an index, or of a temporary view.
 *
 * @typedef {object} Source
 * @property {number} seq what is indexed
 * @property {number[]} counts rows by view
 * @property {(view: number, range: import('../rows/key-range').KeyRange, limit?: number) => AsyncIterable<Array<{ id: string, key: any, value: any }>>} pages
 * @property {() => Promise<import('../index/index-snapshot').IndexSnapshot>} [snapshot] those of an index can be reduced by sums
 * @property {(view: number, range?: import('../rows/key-range').KeyRange) => Promise<void>} [prepareSums]
 */

/**
 * @typedef {{ id?: string, key: any, value: any, document?: import('@potoroo/document-store').Document }} QueryRow of a reduction it has no id
 * @typedef {{ total_rows?: number, offset?: number, rows: QueryRow[], update_seq?: number }} Answer
 *
 * @param {DocumentStore} store
 * @param {Source} source
 * @param {QueryOptions} options of `db.query`, checked
 * @param {{ reduce?: any, onError?: (error: any, group: any) => void }} view
 * @returns {Promise<Answer>} with include_docs each row has its `document` as the store reads it, where there is one
 */
async function runQuery (store, source, options, { reduce, onError }) {
  const reduces = reduce && options.reduce !== false
  const { seq, counts: [total] } = source
  /** @type {Answer} */
  const answer = reduces
    ? { rows: await reduceQuery(source, options, reduce, onError) }
    : { total_rows: total, offset: options.skip || 0, rows: await readRows(source, options) }
  if (options.update_seq) answer.update_seq = seq
  if (options.include_docs) await addDocuments(store, answer.rows, options)
  return answer
}

/** @param {Source} source @param {QueryOptions} options */
async function readRows (source, options) {
  const rows = []
  let skip = options.skip || 0
  let wanted = typeof options.limit === 'number' ? options.limit : Infinity
  for (const range of rangesOf(options)) {
    if (wanted <= 0) break
    for await (const page of source.pages(0, range, wanted + skip)) {
      const taken = page.slice(skip, skip + wanted)
      skip -= Math.min(skip, page.length)
      wanted -= taken.length
      for (const row of taken) rows.push(row)
    }
  }
  return rows
}

/**
 * Rows may name the document that belongs to them, in their value.
 *
 * @param {DocumentStore} store
 * @param {QueryRow[]} rows
 * @param {QueryOptions} options
 */
async function addDocuments (store, rows, options) {
  const idOf = (/** @type {QueryRow} */ { id, value }) => (value && typeof value === 'object' && value._id) || id
  const ids = [...new Set(rows.map(idOf))].filter(id => typeof id === 'string')
  const found = await store.bulkGet(ids.map(id => ({ id })), { conflicts: Boolean(options.conflicts), attachments: Boolean(options.attachments) })
  const documents = new Map(ids.map((id, i) => [id, 'ok' in found[i] ? found[i].ok : undefined]))
  for (const row of rows) {
    const document = documents.get(idOf(row))
    if (document !== undefined) row.document = document
  }
}

module.exports = { runQuery }
