'use strict'

const { Turn, inTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { makeRange } = require('../rows/key-range')

/** @typedef {import('@potoroo/collation').Collation} Collation */

/**
 * The parameters of a view, in CouchDB's names. `key` stands for `startkey` and
 * `endkey`, and so does `keys` with one key.
 *
 * @typedef {object} ViewOptions
 * @property {any} [key] @property {any[]} [keys] @property {boolean} [keys_as_list] one key is a list, too, as in CouchDB's lists
 * @property {any} [startkey] @property {any} [start_key] @property {string} [startkey_docid] @property {string} [start_key_doc_id]
 * @property {any} [endkey] @property {any} [end_key] @property {string} [endkey_docid] @property {string} [end_key_doc_id]
 * @property {boolean} [inclusive_end] @property {boolean} [descending]
 * @property {number} [limit] @property {number} [skip]
 * @property {boolean} [reduce] @property {boolean} [group] @property {number} [group_level]
 * @property {boolean} [include_docs] @property {boolean} [conflicts] @property {boolean} [attachments] @property {boolean} [att_encoding_info]
 * @property {string} [partition] the only one that is asked
 * @property {boolean | 'lazy'} [update] @property {string} [stale] @property {boolean} [update_seq] @property {boolean} [sorted]
 */

/** CouchDB's largest limit, 2⁵⁹ - 1. */
const MOST = 576460752303423487n

/** Options under one name each: `null` is a key, undefined is none. One object of one shape, for it is made for each query. */
class ViewPlan {
  /**
   * @param {ViewOptions} options
   * @param {any} reduce the view's
   */
  constructor (options, reduce) {
    const { keys } = options
    const one = Array.isArray(keys) && keys.length === 1 && !options.keys_as_list
    this.reduces = Boolean(reduce) && options.reduce !== false
    /** How much of an array key makes a group: 0 for one group of all rows. */
    this.level = levelOf(options)
    /** Any number but one, unless one is a list too. @type {any[] | undefined} */
    this.keys = one ? undefined : keys
    this.start = one ? keys[0] : firstOf(options.key, options.startkey, options.start_key)
    this.startId = options.startkey_docid ?? options.start_key_doc_id
    this.end = one ? keys[0] : firstOf(options.key, options.endkey, options.end_key)
    this.endId = options.endkey_docid ?? options.end_key_doc_id
    this.descending = options.descending === true
    this.inclusiveEnd = options.inclusive_end !== false
    this.skip = options.skip ?? 0
    this.limit = options.limit ?? Infinity
    this.includeDocs = options.include_docs === true
    /** How each document is read. */
    this.reads = this.includeDocs ? { conflicts: options.conflicts, attachments: options.attachments, encodings: options.att_encoding_info } : NOTHING
    this.update = updateOf(options)
    /** The beginning of its rows, `name:`; '' where there are no partitions. */
    this.partition = options.partition === undefined ? '' : `${options.partition}:`
    /** The rows to be read. @type {Ranges} */
    this.ranges = NO_RANGES
  }
}

const NOTHING = Object.freeze({})

/** As much of an array as reading needs. @typedef {Iterable<import('../rows/key-range').KeyRange> & { length: number, at: (index: number) => import('../rows/key-range').KeyRange | undefined }} Ranges */

/** @type {Ranges} */
const NO_RANGES = Object.freeze([])

/** A range for each key. They are made as they are read: a million would take long to make, and much memory. */
class KeyRanges {
  #plan
  #keys
  #collation

  /** @param {ViewPlan} plan @param {any[]} keys @param {import('@potoroo/collation').Collation} collation */
  constructor (plan, keys, collation) {
    this.#plan = plan
    this.#keys = keys
    this.#collation = collation
  }

  get length () { return this.#keys.length }

  /** @param {number} index from the end, where it is negative */
  at (index) {
    const { length } = this.#keys
    const i = index < 0 ? length + index : index
    return i < 0 || i >= length ? undefined : this.#rangeAt(i)
  }

  * [Symbol.iterator] () {
    for (let i = 0; i < this.#keys.length; i++) yield this.#rangeAt(i)
  }

  /** @param {number} i */
  #rangeAt (i) {
    const plan = this.#plan
    // CouchDB walks the list backwards, but not that of a reduction.
    const key = this.#keys[plan.descending && !plan.reduces ? this.#keys.length - 1 - i : i]
    return rangeOf(plan, key, key, this.#collation)
  }
}

/**
 * Checks options in the order in which CouchDB does, so that the same mistake is named.
 *
 * @typedef {ViewPlan} Plan
 *
 * @param {ViewOptions} options
 * @param {{ reduce?: any, partitioned?: boolean, collation: import('@potoroo/collation').Collation }} view
 * @returns {ViewPlan}
 * @throws query_parse_error
 * @see https://docs.couchdb.org/en/stable/api/ddoc/views.html
 */
function checkOptions (options, { reduce, partitioned = false, collation }) {
  const plan = new ViewPlan(options, reduce)
  const { reduces, level, keys } = plan
  if (options.reduce === true && !reduce) throw invalid('Reduce is invalid for map-only views.')
  if (reduces && Array.isArray(keys) && level !== Infinity) throw invalid('Multi-key fetches for reduce views must use `group=true`')
  checkKeys(plan)
  checkCounts(plan)
  if (!reduces && level !== 0) throw invalid('Invalid use of grouping on a map view.')
  if (reduces && plan.includeDocs) throw invalid('`include_docs` is invalid for reduce')
  if (reduces && options.conflicts !== undefined) throw invalid('`conflicts` is invalid for reduce views.')
  checkOrder(plan, collation)
  checkPartition(plan, partitioned)
  plan.ranges = rangesOf(plan, collation)
  return plan
}

/** @param {ViewOptions} options */
function levelOf ({ group, group_level: level }) {
  if (level === undefined) return group === true ? Infinity : 0
  if (!Number.isInteger(level) || level < 0) throw invalid('`group_level` must be >= 0')
  if (group === false && level > 0) throw invalid('Can\'t specify group=false and group_level>0 at the same time')
  return level
}

/** @param {...any} values */
function firstOf (...values) { return values.find(value => value !== undefined) }

/** @param {ViewPlan} plan */
function checkKeys ({ keys, start, end, startId, endId }) {
  if (keys !== undefined) {
    if (!Array.isArray(keys)) throw invalid('`keys` must be an array of strings.')
    if (keys.length > 0 && (start !== undefined || end !== undefined)) throw invalid('`keys` is incompatible with `key`, `start_key` and `end_key`')
  }
  if (startId !== undefined && typeof startId !== 'string') throw invalid('`start_key_docid` must be a string.')
  if (endId !== undefined && typeof endId !== 'string') throw invalid('`end_key_docid` must be a string.')
}

/** @param {ViewPlan} plan */
function checkCounts ({ limit, skip }) {
  if (limit !== Infinity && limit > MOST) throw invalid(`Limit is too large, must not exceed ${MOST}`)
  if (limit !== Infinity && !isCount(limit)) throw invalid('`limit` must be a positive integer.')
  if (!isCount(skip)) throw invalid('`skip` must be >= 0')
}

/** @param {any} number */
function isCount (number) { return Number.isInteger(number) && number >= 0 }

/** @param {ViewPlan} plan @param {Collation} collation */
function checkOrder ({ start, end, descending }, collation) {
  if (start === undefined || end === undefined) return
  const order = collation.compare(start, end)
  if (descending ? order < 0 : order > 0) {
    throw invalid(`No rows can match your key range, reverse your start_key and end_key or set descending=${!descending}`)
  }
}

/** @param {ViewPlan} plan @param {boolean} partitioned */
function checkPartition ({ partition }, partitioned) {
  if (partitioned && partition === '') throw invalid('`partition` parameter is mandatory for queries to this view.')
  if (!partitioned && partition !== '') throw invalid('`partition` parameter is not supported in this design doc')
}

/** @param {ViewOptions} options */
function updateOf ({ update = true, stale }) {
  if (stale === undefined) return update
  return stale === 'update_after' ? 'lazy' : false
}

/**
 * One range, or one for each key.
 *
 * @param {ViewPlan} plan
 * @param {import('@potoroo/collation').Collation} collation
 * @returns {Ranges}
 */
function rangesOf (plan, collation) {
  if (plan.keys !== undefined) return new KeyRanges(plan, plan.keys, collation)
  return [refuseDeep(() => rangeOf(plan, plan.start, plan.end, collation))]
}

/**
 * Checks the keys of a plan, which may be many.
 *
 * @param {ViewPlan} plan
 * @param {import('@potoroo/collation').Collation} collation
 * @returns {void | Promise<void>} a promise only of what takes more than a turn
 * @throws query_parse_error
 */
function checkEach ({ keys }, collation) {
  if (keys === undefined) return
  return inTurns(keys, key => { if (typeof key === 'object') refuseDeep(() => collation.encode(key)) })
}

/**
 * Checks several queries of one view.
 *
 * @param {ViewOptions[]} several
 * @param {Parameters<typeof checkOptions>[1]} view
 * @returns {Promise<any[]>} the first query's plan
 * @throws query_parse_error
 */
async function checkAll (several, view) {
  const turn = new Turn()
  const first = []
  for (const options of several) {
    const plan = checkOptions(options, view)
    const rest = checkEach(plan, view.collation)
    if (rest !== undefined) await rest
    if (first.length === 0) first.push(plan)
    if (turn.isLong) await turn.end()
  }
  return first
}

/** @template T @param {() => T} encode @returns {T} */
function refuseDeep (encode) {
  try {
    return encode()
  } catch (error) {
    // No row has such a key.
    if (error instanceof RangeError) throw invalid('Keys are nested too deeply')
    throw error
  }
}

/**
 * @param {ViewPlan} plan
 * @param {any} start
 * @param {any} end
 * @param {import('@potoroo/collation').Collation} collation
 */
function rangeOf ({ startId, endId, descending, inclusiveEnd }, start, end, collation) {
  const first = start === undefined ? undefined : { key: start, id: startId, open: false }
  // A range that ends before a key ends before all rows of it, unless a document says where among them.
  const last = end === undefined ? undefined : { key: end, id: endId, open: !inclusiveEnd }
  return makeRange(collation, descending ? { from: last, to: first, descending } : { from: first, to: last, descending })
}

/** @param {string} reason */
function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

module.exports = { checkAll, checkOptions }
