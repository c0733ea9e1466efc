'use strict'

const { collate } = require('pouchdb-collate')
const { rangesOf } = require('./query-options')
const { reductionOf } = require('./reduces')

/**
 * Rows to query: those of an index, or of a temporary view.
 *
 * @typedef {object} Source
 * @property {number} seq what is indexed
 * @property {number[]} counts rows by view
 * @property {(view: number, range: import('../rows/key-range').KeyRange, limit?: number) => AsyncIterable<Array<{ id: string, key: any, value: any }>>} pages
 */

/**
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Source} source
 * @param {Record<string, any>} options of `db.query`, checked
 * @param {{ reduce?: any, onError?: (error: any, group: any) => void }} view
 * @returns {Promise<{ total_rows?: number, offset?: number, rows: any[], update_seq?: number }>} with
 *   include_docs each row has its `document` as the store reads it, where there is one
 */
async function runQuery (store, source, options, { reduce, onError }) {
  const reduces = reduce && options.reduce !== false
  const { seq, counts: [total] } = source
  const answer = reduces
    ? { rows: await reduceRows(source, options, reductionOf(reduce, onError)) }
    : { total_rows: total, offset: options.skip || 0, rows: await readRows(source, options) }
  if (options.update_seq) answer.update_seq = seq
  if (options.include_docs) await addDocuments(store, answer.rows, options)
  return answer
}

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

/** Groups and reduces rows as they come. How many there are in all is known. */
async function reduceRows (source, options, startReduction) {
  const { skip = 0, limit = Infinity } = options
  const most = (skip || 0) + (typeof limit === 'number' ? limit : Infinity)
  if (startReduction.counts && isOfAll(options)) return countOf(source).slice(skip || 0, most)
  const groupOf = grouping(options)
  const groups = []
  for await (const row of rowsOf(source, rangesOf(options))) {
    const key = groupOf(row.key)
    let last = groups.at(-1)
    if (last === undefined || collate(last.key, key) !== 0) {
      if (groups.length >= most) break
      last = { key, reduction: startReduction() }
      groups.push(last)
    }
    last.reduction.add(row)
  }
  return groups.map(({ key, reduction }) => ({ value: reduction.value(), key })).slice(skip || 0, most)
}

function countOf ({ counts: [value] }) { return value === 0 ? [] : [{ value, key: null }] }

const NARROWING = ['key', 'keys', 'startkey', 'start_key', 'endkey', 'end_key']

function isOfAll (options) {
  return !options.group && !options.group_level && NARROWING.every(name => options[name] === undefined)
}

async function * rowsOf (source, ranges) {
  for (const range of ranges) {
    for await (const page of source.pages(0, range)) yield * page
  }
}

function grouping ({ group, group_level: level }) {
  if (!group && !level) return () => null
  return key => Array.isArray(key) && level > 0 ? key.slice(0, level) : key
}

/** Rows may name the document that belongs to them, in their value. */
async function addDocuments (store, rows, options) {
  const idOf = ({ id, value }) => (value && typeof value === 'object' && value._id) || id
  const ids = [...new Set(rows.map(idOf))].filter(id => typeof id === 'string')
  const found = await store.bulkGet(ids.map(id => ({ id })), { conflicts: Boolean(options.conflicts), attachments: Boolean(options.attachments) })
  const documents = new Map(ids.map((id, i) => [id, 'ok' in found[i] ? found[i].ok : undefined]))
  for (const row of rows) {
    const document = documents.get(idOf(row))
    if (document !== undefined) row.document = document
  }
}

module.exports = { runQuery }
