'use strict'

const { metaForm, toJson } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { formatSequence } = require('../databases/sequence')
const { rangeOptions } = require('./range-query')

/** @typedef {import('../http/response-writer').ResponseWriter} ResponseWriter */
/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('./view-query').ViewArgs} ViewArgs */

/**
 * Writes `{ total_rows, offset, rows }` of a range of documents, a page of rows at a time.
 *
 * @param {import('../http/response-writer').ResponseWriter} out
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {import('./view-query').ViewArgs} args
 */
async function writeAllDocs (out, database, args) {
  const options = { ...rangeOptions(args), exactOffset: args.partition === undefined }
  const { totalRows, offset, updateSeq, rows } = await database.allDocs(options)
  out.push(head(database, args, totalRows, offset, updateSeq))
  await writeRows(out, rows, args)
}

/**
 * The same of the design documents alone, which are few, and are counted by themselves.
 *
 * @param {ResponseWriter} out
 * @param {AnyDatabase} database
 * @param {ViewArgs} args
 */
async function writeDesignDocs (out, database, args) {
  refuseMoment(args)
  /** @type {string[]} */
  const ids = []
  const whole = await database.allDocs({ startkey: '_design/', endkey: '_design0', inclusiveEnd: false })
  for await (const page of whole.rows) for (const { id } of /** @type {Array<{ id: string }>} */ (page)) ids.push(id)
  const options = clamp(rangeOptions(args))
  const { updateSeq, rows } = await database.allDocs(options)
  out.push(head(database, args, ids.length, offsetAmong(ids, options), updateSeq))
  await writeRows(out, rows, args)
}

/** @param {ViewArgs} args */
function refuseMoment ({ at }) {
  if (at !== undefined) throw badRequest('`at` is for `_all_docs`, and not for this list')
}

/** @param {string[]} ids @param {Record<string, any>} options */
function offsetAmong (ids, { keys, startkey, descending = false, skip = 0 }) {
  if (keys !== undefined) return null
  const before = ids.filter(id => descending ? id > startkey : id < startkey).length
  return Math.min(before + skip, ids.length)
}

/** Nothing outside of `_design/`. @param {Record<string, any>} options */
function clamp (options) {
  if (options.keys !== undefined) return { ...options, keys: options.keys.filter((/** @type {any} */ key) => typeof key === 'string' && key.startsWith('_design/')) }
  const { descending = false, startkey, endkey } = options
  const [low, high] = descending ? [endkey, startkey] : [startkey, endkey]
  const least = low === undefined || low < '_design/' ? '_design/' : low
  const most = high === undefined || high > '_design/\uffff' ? '_design/\uffff' : high
  return { ...options, startkey: descending ? most : least, endkey: descending ? least : most }
}

/**
 * The same of the local documents, which are not counted.
 *
 * @param {ResponseWriter} out
 * @param {AnyDatabase} database
 * @param {ViewArgs} args
 */
async function writeLocalDocs (out, database, args) {
  refuseMoment(args)
  const { keys, includeDocs, ...range } = rangeOptions(args)
  const wanted = keys === undefined ? undefined : keysInOrder(keys, range)
  const documents = await database.allLocal(wanted === undefined ? range : { keys: wanted })
  out.push(head(database, args, null, null, args.update_seq ? (await database.info()).updateSeq : 0))
  const rows = documents.map(document => ({
    id: document.id,
    key: document.id,
    value: { rev: document.rev },
    document: { ...document, deleted: false, attachments: null }
  }))
  await writeRows(out, [wanted === undefined ? rows : withMissing(wanted, rows)], args)
}

/** @typedef {{ id: string, key: string, value: any, document: any }} LocalRow */

/** Keys that may be of local documents, as many as are asked for. @param {any[]} keys @param {Record<string, any>} range */
function keysInOrder (keys, { descending = false, skip = 0, limit = Infinity }) {
  const local = keys.filter(key => typeof key === 'string' && key.startsWith('_local/'))
  return (descending ? local.reverse() : local).slice(skip, skip + limit)
}

/** A row for each key; of those that are there, one follows the other. @param {string[]} keys @param {LocalRow[]} rows */
function withMissing (keys, rows) {
  let next = 0
  return keys.map(key => rows[next]?.id === key ? rows[next++] : { key, error: 'not_found' })
}

/**
 * @param {AnyDatabase} database
 * @param {ViewArgs} args
 * @param {number | null} totalRows
 * @param {number | null} offset
 * @param {number} updateSeq
 */
function head (database, args, totalRows, offset, updateSeq) {
  const sequence = args.update_seq ? `,"update_seq":"${formatSequence(database, updateSeq)}"` : ''
  return `{"total_rows":${totalRows},"offset":${offset}${sequence},"rows":[`
}

/** @param {ResponseWriter} out @param {Iterable<any[]> | AsyncIterable<any[]>} pages @param {ViewArgs} args */
async function writeRows (out, pages, { include_docs: includeDocs = false, att_encoding_info: encodings = false }) {
  let separator = '\r\n'
  for await (const page of pages) {
    for (const row of page) {
      out.push(separator + toRow(row, includeDocs, encodings))
      separator = ',\r\n'
      if (out.full) await out.flush()
    }
    if (out.closed) return
  }
  out.push('\r\n]}')
}

/** @param {any} row @param {boolean} includeDocs @param {boolean} encodings */
function toRow ({ id, key, value, error, document }, includeDocs, encodings) {
  if (error !== undefined) return `{"key":${JSON.stringify(key)},"error":"${error}"}`
  const quoted = JSON.stringify(id)
  const deleted = value.deleted === true ? ',"deleted":true' : ''
  const meta = value.meta === undefined ? '' : `,"_meta":${JSON.stringify(metaForm(value.meta))}`
  const doc = includeDocs ? `,"doc":${document ? toJson(document, { encodings }) : 'null'}` : ''
  return `{"id":${quoted},"key":${quoted},"value":{"rev":"${value.rev}"${deleted}${meta}}${doc}}`
}

module.exports = { writeAllDocs, writeDesignDocs, writeLocalDocs }
