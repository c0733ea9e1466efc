'use strict'

const { compareUtf8, isObject } = require('@potoroo/document-store')

/** CouchDB's words. */
const REASON = 'The _sum function requires that map values be numbers, arrays of numbers, or objects. Objects cannot be mixed with other data structures. Objects can be arbitrarily nested, provided that the values for all fields are themselves numbers, arrays of numbers, or objects.'

/**
 * The sum of values, which may be sums: of numbers, of arrays member by member, of objects field by
 * field. A value that cannot be summed makes no failure but an error in the place of the sum, which stays
 * whatever is added to it.
 *
 * @param {any[]} values
 * @returns {any} the sum, or `{ error: 'builtin_reduce_error', reason, caused_by }`
 * @see https://docs.couchdb.org/en/stable/ddocs/ddocs.html#built-in-reduce-functions
 */
function sum (values) {
  let total = /** @type {any} */ (0)
  try {
    for (let i = 0; i < values.length; i++) total = add(values[i], total)
  } catch (error) {
    if (error instanceof NoSum) return error.value
    throw error
  }
  return total
}

/** An error in the place of a sum. */
class NoSum {
  /** @param {any} value */
  constructor (value) { this.value = value }
}

/**
 * As in CouchDB it is the first that is looked at, and a sum of nothing yet is the number 0.
 *
 * @param {any} value
 * @param {any} total
 * @returns {any}
 */
function add (value, total) {
  if (typeof value === 'number') {
    if (typeof total === 'number') return finite(value + total)
    if (Array.isArray(total)) return addArrays(total, [value])
  } else if (Array.isArray(value)) {
    if (typeof total === 'number') return addArrays([total], value)
    if (Array.isArray(total)) return addArrays(total, value)
  } else if (isObject(value)) {
    if (value.error === 'builtin_reduce_error') throw new NoSum(value)
    if (total === 0) return value
    if (isObject(total)) return addObjects(value, total)
  }
  throw unsummable(value)
}

/**
 * Takes the rest of the longer one as it is.
 *
 * @param {any[]} totals
 * @param {any[]} values
 */
function addArrays (totals, values) {
  const common = Math.min(totals.length, values.length)
  const sums = (totals.length > values.length ? totals : values).slice()
  for (let i = 0; i < common; i++) {
    if (typeof totals[i] !== 'number' || typeof values[i] !== 'number') throw unsummable(totals.slice(i))
    sums[i] = finite(totals[i] + values[i])
  }
  return sums
}

/**
 * Fields in the order of their names.
 *
 * @param {Record<string, any>} value
 * @param {Record<string, any>} total
 * @returns {Record<string, any>}
 */
function addObjects (value, total) {
  const others = Object.keys(value).filter(name => !Object.hasOwn(total, name))
  const names = Object.keys(total).concat(others).sort(compareUtf8)
  return Object.fromEntries(names.map(name => [name, addField(value, total, name)]))
}

/** @param {Record<string, any>} value @param {Record<string, any>} total @param {string} name @returns {any} */
function addField (value, total, name) {
  if (!Object.hasOwn(total, name)) return value[name]
  return Object.hasOwn(value, name) ? add(value[name], total[name]) : total[name]
}

/**
 * JSON has no other numbers.
 *
 * @param {number} number
 */
function finite (number) {
  if (Number.isFinite(number)) return number
  throw new NoSum({ error: 'builtin_reduce_error', reason: 'The sum is greater than any number.' })
}

/** @param {any} value */
function unsummable (value) {
  return new NoSum({ error: 'builtin_reduce_error', reason: REASON, caused_by: value })
}

module.exports = { sum }
