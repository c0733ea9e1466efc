'use strict'

const crypto = require('node:crypto')
const { builtIn } = require('./built-in')
const { JavascriptReduce, overflowOf } = require('./javascript')
const { ReduceLimit } = require('./reduce-limit')

/**
 * Reduces groups of rows, many at a time, and reductions again.
 *
 * @typedef {object} Reducer
 * @property {string} name what its reductions are kept under: the same for what reduces alike
 * @property {'rows' | 'values' | 'keys' | 'nothing'} reads what of the rows it is given: `{ id, key, value }`,
 *   values or keys; with nothing a reduction is the number of rows, and `reduce` is not called
 * @property {(groups: any[][]) => any[] | Promise<any[]>} reduce each group is one row at least, in
 *   the order of the rows
 * @property {(groups: any[][]) => any[] | Promise<any[]>} rereduce each group is some reductions, in order
 * @property {(value: any) => { value: any } | { error: string, reason: string }} finish what a row says of a reduction
 */

/** @typedef {Omit<Reducer, 'reduce' | 'rereduce'> & Record<'reduce' | 'rereduce', (groups: any[][]) => any[]>} PlainReducer it never waits */

/**
 * The reducer of a view of CouchDB's.
 *
 * @param {string} source
 * @param {object} context
 * @param {any} context.library what `require` of a function finds
 * @param {string} [context.language] of the source: JavaScript, if nothing is said
 * @param {import('@potoroo/query-server').Origin} [context.origin] whose function it is
 * @param {import('@potoroo/query-server').QueryServer} context.queryServer
 * @param {import('@potoroo/collation').Collation} context.collation
 * @param {ReduceLimit} [context.limit]
 * @returns {Reducer}
 * @throws invalid_design_doc: there is no such built-in one
 */
function reducerFor (source, { library, language, origin, queryServer, collation, limit = new ReduceLimit() }) {
  const known = builtIn(source, { collation, limit })
  if (known !== undefined) return builtInReducer(nameOf(source, limit.name), known)
  const name = nameOf(source, JSON.stringify(library), limit.name)
  const javascript = new JavascriptReduce({ sources: [source], library, language, origin }, queryServer, limit)
  return { name, reads: 'rows', reduce: groups => javascript.reduce(groups), rereduce: groups => javascript.rereduce(groups), finish }
}

/**
 * @param {string} name
 * @param {Omit<import('./built-in').BuiltIn, 'reads'> & Pick<Reducer, 'reads'>} builtIn
 * @returns {PlainReducer}
 */
function builtInReducer (name, { reads, reduce, rereduce, finish = value => value }) {
  return {
    name,
    reads,
    reduce: groups => groups.map(reduce),
    rereduce: groups => groups.map(rereduce),
    finish: value => ({ value: finish(value) })
  }
}

/** @param {any} value */
function finish (value) {
  const reason = overflowOf(value)
  return reason === undefined ? { value } : { error: 'reduce_overflow_error', reason }
}

/**
 * Short: it stands in many records.
 *
 * @param {...string} parts
 */
function nameOf (...parts) {
  return crypto.createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 8)
}

module.exports = { reducerFor, builtInReducer, nameOf }
