'use strict'

const { isObject } = require('@potoroo/document-store')
const { createError, formatTerm, printTerm } = require('@potoroo/errors')

/** @typedef {{ sum: number, count: number, min: number, max: number, sumsqr: number }} Stats */

const FIELDS = ['sum', 'count', 'min', 'max', 'sumsqr']

/**
 * Statistics of values: of numbers, of statistics that were made before, and, member by member, of
 * arrays of these, which are all as long.
 *
 * @param {any[]} values one at least
 * @returns {any} `{ sum, count, min, max, sumsqr }`, or an array of these
 * @throws invalid_value, in CouchDB's words
 * @see https://docs.couchdb.org/en/stable/ddocs/ddocs.html#built-in-reduce-functions
 */
function stats (values) {
  let total = begin(values[0])
  for (let i = 1; i < values.length; i++) total = add(values[i], total)
  return total
}

/** @param {any} value @returns {any} */
function begin (value) {
  if (typeof value === 'number') return ofNumber(value)
  if (Array.isArray(value)) return value.map(begin)
  if (isObject(value)) return ofObject(value)
  throw invalid(`non-numeric _stats input: ${formatTerm(value)}`)
}

/** @param {any} value @param {any} total @returns {any} */
function add (value, total) {
  if (Array.isArray(value) && Array.isArray(total)) return addArrays(value, total)
  if (Array.isArray(total) || (typeof value !== 'number' && !isObject(value))) {
    throw invalid(`The _stats function requires that map values be numbers or arrays of numbers, not '${printTerm(value)}'`)
  }
  const { sum, count, min, max, sumsqr } = typeof value === 'number' ? ofNumber(value) : ofObject(value)
  return { sum: total.sum + sum, count: total.count + count, min: Math.min(total.min, min), max: Math.max(total.max, max), sumsqr: total.sumsqr + sumsqr }
}

/** @param {any[]} values @param {any[]} totals */
function addArrays (values, totals) {
  if (values.length === totals.length) return values.map((value, i) => add(value, totals[i]))
  throw invalid('The _stats function requires that arrays are all as long')
}

/** @param {number} number @returns {Stats} */
function ofNumber (number) { return { sum: number, count: 1, min: number, max: number, sumsqr: number * number } }

/**
 * Other members are ignored.
 *
 * @param {Record<string, unknown>} value
 * @returns {Stats}
 */
function ofObject (value) {
  const [sum, count, min, max, sumsqr] = FIELDS.map(name => numberOf(value, name))
  return { sum, count, min, max, sumsqr }
}

/** @param {Record<string, unknown>} value @param {string} name @returns {number} */
function numberOf (value, name) {
  if (!Object.hasOwn(value, name)) {
    throw invalid(`user _stats input missing required field ${name} (${printTerm(value).slice(1, -1)})`)
  }
  if (typeof value[name] === 'number') return value[name]
  throw invalid(`non-numeric _stats input received for ${name}: ${formatTerm(value[name])}`)
}

/** @param {string} reason */
function invalid (reason) { return createError('FUNCTION_ERROR', { error: 'invalid_value', reason }) }

module.exports = { stats }
