'use strict'

const { createError } = require('@potoroo/errors')
const { toIndexableString } = require('pouchdb-collate')

/**
 * CouchDB's built-in reduces over the rows of a group.
 * @see https://docs.couchdb.org/en/stable/ddocs/ddocs.html#built-in-reduce-functions
 * @type {Record<string, (rows: Array<{ key: any, value: any }>) => any>}
 */
const builtInReduces = {
  _count: rows => rows.length,
  _sum: rows => rows.reduce((total, { value }) => add(total, value), /** @type {any} */ (0)),
  _stats: rows => stats(rows.map(({ value }) => value)),
  /** Exact, which is an approximation too. */
  _approx_count_distinct: rows => new Set(rows.map(({ key }) => toIndexableString(key))).size
}

function add (total, value) {
  if (typeof value === 'number') return Array.isArray(total) ? [total[0] + value, ...total.slice(1)] : isPlain(total) ? sumError() : total + value
  if (Array.isArray(value)) return addArrays(Array.isArray(total) ? total : typeof total === 'number' ? [total] : sumError(), value)
  if (isPlain(value)) return addObjects(total === 0 ? {} : isPlain(total) ? total : sumError(), value)
  return sumError()
}

function addArrays (total, values) {
  return Array.from({ length: Math.max(total.length, values.length) }, (_, i) => {
    const value = values[i] ?? 0
    return typeof value === 'number' ? (total[i] ?? 0) + value : sumError()
  })
}

function addObjects (total, values) {
  const sum = { ...total }
  for (const [name, value] of Object.entries(values)) sum[name] = add(sum[name] ?? 0, value)
  return sum
}

function isPlain (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

function sumError () {
  throw createError('FUNCTION_ERROR', {
    error: 'builtin_reduce_error',
    reason: 'The _sum function requires that map values be numbers, arrays of numbers, or objects. Objects cannot be mixed with other data structures. Objects can be arbitrarily nested, provided that the values for all fields are themselves numbers, arrays of numbers, or objects.'
  })
}

function stats (values) {
  if (values.some(Array.isArray) && values.every(value => Array.isArray(value) && value.length === values[0].length)) {
    return values[0].map((_, i) => stats(values.map(value => value[i])))
  }
  let [sum, sumsqr, min, max] = [0, 0, Infinity, -Infinity]
  for (const value of values) {
    if (typeof value !== 'number') throw statsError(value)
    sum += value
    sumsqr += value * value
    if (value < min) min = value
    if (value > max) max = value
  }
  return { sum, count: values.length, min, max, sumsqr }
}

function statsError (value) {
  return createError('FUNCTION_ERROR', { error: 'builtin_reduce_error', reason: `The _stats function requires that map values be numbers or arrays of numbers, not '${JSON.stringify(value)}'` })
}

/**
 * @param {string} source of a reduce function
 * @returns {((rows: Array<{ key: any, value: any }>) => any) | undefined} undefined: it is JavaScript
 */
function builtInReduce (source) {
  const text = source.trim()
  if (!text.startsWith('_')) return undefined
  // CouchDB reads no further than the name.
  const name = Object.keys(builtInReduces).find((name) => text.startsWith(name))
  if (name === undefined) throw createError('BAD_REQUEST', { error: 'invalid_design_doc', reason: `\`${text}\` is not a supported reduce function.` })
  return builtInReduces[name]
}

module.exports = { builtInReduce }
