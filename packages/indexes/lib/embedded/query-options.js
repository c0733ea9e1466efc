'use strict'

const { createError } = require('@potoroo/errors')
const { collate } = require('pouchdb-collate')
const { pouchCollation } = require('@potoroo/collation')
const { makeRange } = require('../rows/key-range')

/**
 * The options of `db.query`, in PouchDB's names.
 *
 * @typedef {object} QueryOptions
 * @property {any} [key] @property {any[]} [keys]
 * @property {any} [startkey] @property {any} [start_key] @property {any} [endkey] @property {any} [end_key]
 * @property {boolean} [inclusive_start] @property {boolean} [inclusive_end] @property {boolean} [descending]
 * @property {number} [limit] @property {number} [skip]
 * @property {any} [reduce] a function, the name of a built-in one, or whether the view's is wanted
 * @property {boolean} [group] @property {number} [group_level]
 * @property {boolean} [include_docs] @property {boolean} [conflicts] @property {boolean} [attachments]
 * @property {boolean} [update_seq]
 * @property {'ok' | 'update_after'} [stale]
 * @property {string} [saveAs] the name that a saved view has
 */

/**
 * Refuses what PouchDB refuses, in its words.
 *
 * @param {QueryOptions} options of `db.query`
 * @param {any} reduce the view's
 * @see https://pouchdb.com/api.html#query_database
 */
function checkQuery (options, reduce) {
  const { startkey, endkey, descending } = options
  if (startkey !== undefined && endkey !== undefined && collate(startkey, endkey) * (descending ? -1 : 1) > 0) {
    throw invalid('No rows can match your key range, reverse your start_key and end_key or set {descending : true}')
  }
  if (reduce && options.reduce !== false) checkReduce(options)
  for (const name of /** @type {const} */ (['group_level', 'limit', 'skip'])) checkCount(options[name])
}

/** @param {QueryOptions} options */
function checkReduce ({ include_docs: includeDocs, keys, group, group_level: level }) {
  if (includeDocs) throw invalid('{include_docs:true} is invalid for reduce')
  if (keys && keys.length > 1 && !group && !level) throw invalid('Multi-key fetches for reduce views must use {group: true}')
}

/** @param {any} count */
function checkCount (count) {
  if (!count) return
  if (typeof count !== 'number') throw invalid(`Invalid value for integer: "${count}"`)
  if (count < 0) throw invalid(`Invalid value for positive integer: "${count}"`)
}

/** @param {string} reason */
function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

/**
 * The rows that a query reads, one range after another. A list of keys is read in its own order.
 *
 * @param {QueryOptions} options
 * @returns {import('../rows/key-range').KeyRange[]}
 */
function rangesOf (options) {
  const { key, keys } = options
  if (keys !== undefined) return keys.map((/** @type {any} */ each) => rangeOfKey(each, false))
  const descending = Boolean(options.descending)
  if (key !== undefined) return [rangeOfKey(key, descending)]
  const start = 'startkey' in options ? options.startkey : options.start_key
  const end = 'endkey' in options ? options.endkey : options.end_key
  const first = start === undefined ? undefined : { key: start }
  const last = end === undefined ? undefined : { key: end, open: options.inclusive_end === false }
  return [makeRange(pouchCollation, descending ? { from: last, to: first, descending } : { from: first, to: last })]
}

/** @param {any} key @param {boolean} descending */
function rangeOfKey (key, descending) {
  return makeRange(pouchCollation, { from: { key }, to: { key }, descending })
}

module.exports = { checkQuery, rangesOf }
