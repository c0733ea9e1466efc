'use strict'

const { metaForm } = require('@potoroo/document-store')
const errors = require('pouchdb-errors')

const { toPouchError } = require('./pouch-error')
const { toPouchDocument, readOptions } = require('./outgoing-document')

const { createError } = errors

/** Without documents, what is asked of them is not meant. */
const none = readOptions({})

/**
 * `db.allDocs`.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, any> | null} [given]
 * @returns {Promise<{ total_rows: number, offset: number, rows: any[], update_seq?: number }>}
 *   `offset` is `skip`, as in PouchDB's own adapters
 * @see https://pouchdb.com/api.html#batch_fetch
 */
async function allDocs (store, given) {
  const options = given ?? {}
  const { skip = 0 } = options
  try {
    const result = await store.allDocs(storeOptions(options, skip))
    const rows = []
    for await (const page of result.rows) {
      for (const row of page) rows.push(toRow(row, options))
    }
    /** @type {Awaited<ReturnType<typeof allDocs>>} */
    const answer = { total_rows: /** @type {number} */ (result.totalRows), offset: 'keys' in options ? 0 : skip, rows }
    if (options.update_seq) answer.update_seq = result.updateSeq
    return answer
  } catch (error) {
    throw toPouchError(error)
  }
}

/** @param {Record<string, any>} options @param {any} skip */
function storeOptions (options, skip) {
  const includeDocs = Boolean(options.include_docs)
  const { at, key, meta } = options
  const read = { ...(includeDocs ? readOptions(options) : none), at, meta: Boolean(meta) }
  if ('keys' in options) return { ...read, includeDocs, keys: selectKeys(options, skip) }
  return {
    ...read,
    includeDocs,
    startkey: text(key || options.start_key || options.startkey),
    endkey: text(key || options.end_key || options.endkey),
    inclusiveEnd: key ? true : options.inclusive_end !== false,
    descending: Boolean(options.descending),
    skip: Number(skip) || 0,
    limit: typeof options.limit === 'number' && options.limit >= 0 ? options.limit : undefined
  }
}

/**
 * No key at all, in the loose sense in which PouchDB's LevelDB adapter takes it, is no bound.
 *
 * @param {unknown} key
 */
function text (key) {
  return key ? String(key) : undefined
}

/** @param {Record<string, any>} options @param {any} skip */
function selectKeys (options, skip) {
  const { keys, limit } = options
  if (!Array.isArray(keys)) throw new TypeError('options.keys must be an array')
  for (const other of ['startkey', 'endkey', 'key']) {
    if (other in options) {
      throw createError(errors.QUERY_PARSE_ERROR, `Query parameter \`${other}\` is not compatible with multi-get`)
    }
  }
  const selected = 'limit' in options ? keys.slice(skip, limit + skip) : keys.slice(skip)
  return options.descending ? selected.reverse() : selected
}

/** @param {any} row the store's, in one of its forms @param {Record<string, any>} options */
function toRow (row, options) {
  if (row.error) return { key: row.key, error: row.error }
  const { id, key } = row
  const value = toValue(row.value)
  if (value.deleted) return { id, key, value, doc: null }
  if (!options.include_docs) return { id, key, value }
  return { id, key, value, doc: row.document ? toPouchDocument(row.document, options) : null }
}

/** @param {any} value */
function toValue ({ meta, ...value }) { return meta === undefined ? value : { ...value, _meta: metaForm(meta) } }

module.exports = { allDocs }
