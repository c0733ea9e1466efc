'use strict'

const { createError } = require('@potoroo/errors')
const { distinct, mergeDistinct, sizeOf } = require('./distinct-count')
const { stats } = require('./stats')
const { sum } = require('./sum')

/** The most that `_top_N` and `_bottom_N` rank. */
const MOST_RANKS = 100

/**
 * A built-in reduce: of a group's values or keys, in the order of the rows, one at least.
 *
 * @typedef {object} BuiltIn
 * @property {'values' | 'keys' | 'nothing'} reads what of the rows is reduced; nothing: it is their number
 * @property {(group: any[]) => any} reduce
 * @property {(values: any[]) => any} rereduce of reductions, in order
 * @property {(value: any) => any} [finish] what is answered
 */

/**
 * By what the source begins with: CouchDB reads no further than the name.
 * @type {Record<string, (rest: string, context: { collation: import('@potoroo/collation').Collation, limit: import('./reduce-limit').ReduceLimit }) => BuiltIn>}
 */
const builtIns = {
  _sum: (rest, { limit }) => ({ reads: 'values', reduce: values => limitedSum(values, limit), rereduce: values => limitedSum(values, limit) }),
  _count: () => ({ reads: 'nothing', reduce: rows => rows.length, rereduce: sum }),
  _stats: () => ({ reads: 'values', reduce: stats, rereduce: stats }),
  _approx_count_distinct: () => ({ reads: 'keys', reduce: distinct, rereduce: mergeDistinct, finish: sizeOf }),
  _top_: (rest, { collation }) => ranks(rest, (/** @type {any} */ a, /** @type {any} */ b) => collation.compare(b, a)),
  _bottom_: (rest, { collation }) => ranks(rest, collation.compare),
  _first: () => ({ reads: 'values', reduce: values => values[0], rereduce: values => values[0] }),
  _last: () => ({ reads: 'values', reduce: values => values.at(-1), rereduce: values => values.at(-1) })
}

/** @param {any[]} values @param {import('./reduce-limit').ReduceLimit} limit */
function limitedSum (values, limit) {
  const total = sum(values)
  const reason = limit.check(total, () => Buffer.byteLength(JSON.stringify(values)))
  return reason === undefined ? total : { error: 'builtin_reduce_error', reason }
}

/**
 * @param {string} rest
 * @param {(a: any, b: any) => number} compare
 * @returns {BuiltIn}
 */
function ranks (rest, compare) {
  const count = rankOf(rest)
  const best = (/** @type {any[]} */ values) => values.sort(compare).filter((value, i) => i === 0 || compare(values[i - 1], value) !== 0).slice(0, count)
  return { reads: 'values', reduce: values => best([...values]), rereduce: lists => best(lists.flat()) }
}

/** @param {string} rest */
function rankOf (rest) {
  if (!/^[+-]?\d+$/.test(rest)) throw invalid('invalid rank reducer')
  const count = Number(rest)
  if (count >= 1 && count <= MOST_RANKS) return count
  throw invalid(`rank value must be between 1 and ${MOST_RANKS}`)
}

/** @param {string} reason */
function invalid (reason) { return createError('BAD_REQUEST', { error: 'invalid_design_doc', reason }) }

/**
 * @param {string} source of a reduce function
 * @param {{ collation: import('@potoroo/collation').Collation, limit: import('./reduce-limit').ReduceLimit }} context
 * @returns {BuiltIn | undefined} undefined: it is JavaScript
 * @throws invalid_design_doc: there is no such one, or it is no text
 */
function builtIn (source, context) {
  // PouchDB writes any design document.
  if (typeof source !== 'string') throw invalid('`reduce` field must have string type')
  if (!source.startsWith('_')) return undefined
  const name = Object.keys(builtIns).find(name => source.startsWith(name))
  if (name === undefined) throw invalid(`\`${source}\` is not a supported reduce function.`)
  return builtIns[name](source.slice(name.length), context)
}

module.exports = { builtIn }
