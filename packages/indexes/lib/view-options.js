'use strict'

const { createError } = require('@potoroo/errors')
const { collate } = require('pouchdb-collate')
const { couchCollation } = require('@potoroo/collation')
const { makeRange } = require('./rows/key-range')

/**
 * What a view is asked, in the names of CouchDB's parameters.
 *
 * @typedef {object} ViewOptions
 * @property {any} [key] @property {any[]} [keys]
 * @property {any} [startkey] @property {any} [start_key] @property {string} [startkey_docid] @property {string} [start_key_doc_id]
 * @property {any} [endkey] @property {any} [end_key] @property {string} [endkey_docid] @property {string} [end_key_doc_id]
 * @property {boolean} [inclusive_end] @property {boolean} [descending]
 * @property {number} [limit] @property {number} [skip]
 * @property {boolean} [reduce] @property {boolean} [group] @property {number} [group_level]
 * @property {boolean} [include_docs] @property {boolean} [conflicts] @property {boolean} [attachments]
 * @property {boolean | 'lazy'} [update] @property {string} [stale] @property {boolean} [update_seq]
 */

/**
 * Checks them as CouchDB does, and gives them one name each.
 *
 * @param {ViewOptions} options
 * @param {any} reduce the view's reduce function
 */
function checkOptions (options, reduce) {
  const { key, keys, group, group_level: groupLevel, include_docs: includeDocs } = options
  const reduces = Boolean(reduce) && options.reduce !== false
  // null is a key.
  const start = options.startkey === undefined ? options.start_key : options.startkey
  const end = options.endkey === undefined ? options.end_key : options.endkey
  if (options.reduce === true && !reduce) throw invalid('`reduce` is invalid for map-only views.')
  if ((group || groupLevel) && !reduces) throw invalid('Invalid use of grouping on a map view.')
  if (reduces && includeDocs) throw invalid('`include_docs` is invalid for reduce')
  if (keys !== undefined) {
    if (!Array.isArray(keys)) throw invalid('`keys` parameter must be an array.')
    if (key !== undefined || start !== undefined || end !== undefined) throw invalid('`keys` is incompatible with `key`, `start_key` and `end_key`')
    if (reduces && !group && keys.length > 1) throw invalid('Multi-key fetches for reduce views must use `group=true`')
  }
  if (start !== undefined && end !== undefined && collate(start, end) * (options.descending ? -1 : 1) > 0) {
    throw invalid('No rows can match your key range, reverse your start_key and end_key or set {descending : true}')
  }
  return { ...options, reduces, start, end, level: group ? Infinity : groupLevel ?? 0 }
}

/**
 * The rows that a query reads.
 * @param {any} options checked
 */
function rangeOf ({ key, start, end, descending = false, inclusive_end: inclusive = true, ...options }) {
  if (key !== undefined) return makeRange(couchCollation, { from: { key }, to: { key }, descending })
  const first = start === undefined ? undefined : { key: start, id: options.startkey_docid ?? options.start_key_doc_id }
  const last = end === undefined ? undefined : { key: end, id: options.endkey_docid ?? options.end_key_doc_id, open: !inclusive }
  return makeRange(couchCollation, descending ? { from: last, to: first, descending } : { from: first, to: last })
}

function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

module.exports = { checkOptions, rangeOf }
