'use strict'

const { createError } = require('@potoroo/errors')
const { makeRange } = require('./rows/key-range')

/**
 * What a view is asked, in the names of CouchDB's parameters. `key` stands for `startkey` and
 * `endkey`, and so does `keys` with one key.
 *
 * @typedef {object} ViewOptions
 * @property {any} [key] @property {any[]} [keys]
 * @property {any} [startkey] @property {any} [start_key] @property {string} [startkey_docid] @property {string} [start_key_doc_id]
 * @property {any} [endkey] @property {any} [end_key] @property {string} [endkey_docid] @property {string} [end_key_doc_id]
 * @property {boolean} [inclusive_end] @property {boolean} [descending]
 * @property {number} [limit] @property {number} [skip]
 * @property {boolean} [reduce] @property {boolean} [group] @property {number} [group_level]
 * @property {boolean} [include_docs] @property {boolean} [conflicts] @property {boolean} [attachments]
 * @property {boolean | 'lazy'} [update] @property {string} [stale] @property {boolean} [update_seq] @property {boolean} [sorted]
 */

/**
 * The same under one name each, checked.
 *
 * @typedef {object} ViewPlan
 * @property {boolean} reduces
 * @property {number} level how much of an array key makes a group: 0 for one group of all rows
 * @property {any[]} [keys] any number but one
 * @property {any} start undefined where there is none, as `end`
 * @property {string} [startId]
 * @property {any} end
 * @property {string} [endId]
 * @property {boolean} descending
 * @property {boolean} inclusiveEnd
 * @property {number} skip
 * @property {number} limit
 * @property {boolean} includeDocs
 * @property {{ conflicts?: boolean, attachments?: boolean }} reads what is wanted of each document
 * @property {boolean | 'lazy'} update
 */

/** CouchDB's largest limit, 2⁵⁹ - 1. */
const MOST = 576460752303423487n

/**
 * Checks options in the order in which CouchDB does, so that the same mistake is named.
 *
 * @param {ViewOptions} options
 * @param {{ reduce?: any, collation: import('@potoroo/collation').Collation }} view
 * @returns {ViewPlan}
 * @throws query_parse_error
 * @see https://docs.couchdb.org/en/stable/api/ddoc/views.html
 */
function checkOptions (options, { reduce, collation }) {
  const reduces = Boolean(reduce) && options.reduce !== false
  const level = levelOf(options)
  if (options.reduce === true && !reduce) throw invalid('Reduce is invalid for map-only views.')
  const range = rangeOptions(options)
  if (reduces && Array.isArray(range.keys) && level !== Infinity) throw invalid('Multi-key fetches for reduce views must use `group=true`')
  checkKeys(range)
  for (const name of ['limit', 'skip']) checkCount(name, options[name])
  if (!reduces && level !== 0) throw invalid('Invalid use of grouping on a map view.')
  if (reduces && options.include_docs) throw invalid('`include_docs` is invalid for reduce')
  if (reduces && options.conflicts !== undefined) throw invalid('`conflicts` is invalid for reduce views.')
  checkOrder(range, collation)
  const { include_docs: includeDocs = false, conflicts, attachments, skip = 0, limit = Infinity } = options
  return { ...range, reduces, level, skip, limit, includeDocs, reads: { conflicts, attachments }, update: updateOf(options) }
}

/** @param {ViewOptions} options */
function levelOf ({ group, group_level: level }) {
  if (level === undefined) return group === true ? Infinity : 0
  if (!Number.isInteger(level) || level < 0) throw invalid('`group_level` must be >= 0')
  if (group === false && level > 0) throw invalid('Can\'t specify group=false and group_level>0 at the same time')
  return level
}

/** `null` is a key, undefined is none. */
function rangeOptions (options) {
  const { keys, descending = false, inclusive_end: inclusiveEnd = true } = options
  const range = {
    keys: undefined,
    start: firstOf(options, 'key', 'startkey', 'start_key'),
    startId: firstOf(options, 'startkey_docid', 'start_key_doc_id'),
    end: firstOf(options, 'key', 'endkey', 'end_key'),
    endId: firstOf(options, 'endkey_docid', 'end_key_doc_id'),
    descending,
    inclusiveEnd
  }
  if (Array.isArray(keys) && keys.length === 1) return { ...range, start: keys[0], end: keys[0] }
  return { ...range, keys }
}

function firstOf (options, ...names) {
  for (const name of names) if (options[name] !== undefined) return options[name]
}

function checkKeys ({ keys, start, end, startId, endId }) {
  if (keys !== undefined) {
    if (!Array.isArray(keys)) throw invalid('`keys` must be an array of strings.')
    if (keys.length > 0 && (start !== undefined || end !== undefined)) throw invalid('`keys` is incompatible with `key`, `start_key` and `end_key`')
  }
  if (startId !== undefined && typeof startId !== 'string') throw invalid('`start_key_docid` must be a string.')
  if (endId !== undefined && typeof endId !== 'string') throw invalid('`end_key_docid` must be a string.')
}

function checkCount (name, count) {
  if (count === undefined || count === Infinity) return
  if (name === 'limit' && count > MOST) throw invalid(`Limit is too large, must not exceed ${MOST}`)
  if (!Number.isInteger(count) || count < 0) throw invalid(name === 'skip' ? '`skip` must be >= 0' : '`limit` must be a positive integer.')
}

function checkOrder ({ start, end, descending }, collation) {
  if (start === undefined || end === undefined) return
  const order = collation.compare(start, end)
  if (descending ? order < 0 : order > 0) {
    throw invalid(`No rows can match your key range, reverse your start_key and end_key or set descending=${!descending}`)
  }
}

/** @param {ViewOptions} options */
function updateOf ({ update = true, stale }) {
  if (stale === undefined) return update
  return stale === 'update_after' ? 'lazy' : false
}

/**
 * The rows that a plan reads: one range, or one for each key.
 *
 * @param {ViewPlan} plan
 * @param {import('@potoroo/collation').Collation} collation
 * @returns {import('./rows/key-range').KeyRange[]}
 */
function rangesOf (plan, collation) {
  if (plan.keys === undefined) return [rangeOf(plan, collation)]
  return plan.keys.map(key => rangeOf({ ...plan, start: key, end: key }, collation))
}

/**
 * @param {Pick<ViewPlan, 'start' | 'end' | 'descending' | 'inclusiveEnd' | 'startId' | 'endId'>} plan
 * @param {import('@potoroo/collation').Collation} collation
 */
function rangeOf ({ start, startId, end, endId, descending, inclusiveEnd }, collation) {
  const first = start === undefined ? undefined : { key: start, id: startId }
  // What ends before a key ends before all rows of it, unless a document says where among them.
  const last = end === undefined ? undefined : { key: end, id: endId, open: !inclusiveEnd }
  return makeRange(collation, descending ? { from: last, to: first, descending } : { from: first, to: last })
}

function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

module.exports = { checkOptions, rangeOf, rangesOf }
