'use strict'

const { createError } = require('@potoroo/errors')
const { collate } = require('pouchdb-collate')
const { pouchCollation } = require('@potoroo/collation')
const { makeRange } = require('../rows/key-range')

/**
 * Refuses what PouchDB refuses, in its words.
 *
 * @param {Record<string, any>} options of `db.query`
 * @param {any} reduce the view's
 * @see https://pouchdb.com/api.html#query_database
 */
function checkQuery (options, reduce) {
  const { startkey, endkey, descending } = options
  if (startkey !== undefined && endkey !== undefined && collate(startkey, endkey) * (descending ? -1 : 1) > 0) {
    throw invalid('No rows can match your key range, reverse your start_key and end_key or set {descending : true}')
  }
  if (reduce && options.reduce !== false) checkReduce(options)
  for (const name of ['group_level', 'limit', 'skip']) checkCount(options[name])
}

/** @param {Record<string, any>} options */
function checkReduce ({ include_docs: includeDocs, keys, group, group_level: level }) {
  if (includeDocs) throw invalid('{include_docs:true} is invalid for reduce')
  if (keys && keys.length > 1 && !group && !level) throw invalid('Multi-key fetches for reduce views must use {group: true}')
}

function checkCount (count) {
  if (!count) return
  if (typeof count !== 'number') throw invalid(`Invalid value for integer: "${count}"`)
  if (count < 0) throw invalid(`Invalid value for positive integer: "${count}"`)
}

function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

/**
 * The rows that a query reads, one range after another. A list of keys is read in its own order.
 *
 * @param {Record<string, any>} options
 * @returns {import('../rows/key-range').KeyRange[]}
 */
function rangesOf (options) {
  const { key, keys } = options
  if (keys !== undefined) return keys.map(each => rangeOfKey(each, false))
  const descending = Boolean(options.descending)
  if (key !== undefined) return [rangeOfKey(key, descending)]
  const start = 'startkey' in options ? options.startkey : options.start_key
  const end = 'endkey' in options ? options.endkey : options.end_key
  const first = start === undefined ? undefined : { key: start }
  const last = end === undefined ? undefined : { key: end, open: options.inclusive_end === false }
  return [makeRange(pouchCollation, descending ? { from: last, to: first, descending } : { from: first, to: last })]
}

function rangeOfKey (key, descending) {
  return makeRange(pouchCollation, { from: { key }, to: { key }, descending })
}

module.exports = { checkQuery, rangesOf }
