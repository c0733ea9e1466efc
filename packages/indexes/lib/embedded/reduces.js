'use strict'

const { badRequest } = require('@potoroo/errors')
const { builtInReducer, nameOf } = require('../reduces/reducer')
const { compile } = require('./compile')
const { builtInError, notNumbers, sum } = require('./sum')

/** @typedef {import('../reduces/stats').Stats} Stats */

/** PouchDB's built-in reduces: by what the source begins with. @type {Record<string, import('../reduces/built-in').BuiltIn>} */
const builtIns = {
  _sum: { reads: 'values', reduce: sum, rereduce: sum },
  _count: { reads: 'nothing', reduce: rows => rows.length, rereduce: sum },
  _stats: { reads: 'values', reduce: stats, rereduce: addStats }
}

/** Makes statistics of numbers, or, member by member, of arrays that are all as long. @param {any[]} values */
function stats (values) {
  const isArray = Array.isArray(values[0])
  const all = Array.from({ length: isArray ? values[0].length : 1 }, () => ({ sum: 0, min: Infinity, max: -Infinity, count: 0, sumsqr: 0 }))
  for (const value of values) {
    checkShape(isArray, Array.isArray(value))
    const numbers = isArray ? value : [value]
    checkLength(all, numbers)
    for (let i = 0; i < all.length; i++) addNumber(all[i], numbers[i])
  }
  return isArray ? all : all[0]
}

/** @param {Stats} stats @param {any} number */
function addNumber (stats, number) {
  if (typeof number !== 'number') throw notNumbers()
  stats.sum += number
  stats.min = Math.min(stats.min, number)
  stats.max = Math.max(stats.max, number)
  stats.count++
  stats.sumsqr += number * number
}

/** @param {Array<Stats | Stats[]>} values */
function addStats (values) {
  return values.reduce((total, value) => {
    checkShape(Array.isArray(total), Array.isArray(value))
    if (!Array.isArray(total)) return addOne(total, /** @type {Stats} */ (value))
    const others = /** @type {Stats[]} */ (value)
    checkLength(total, others)
    return total.map((each, i) => addOne(each, others[i]))
  })
}

/** @param {Stats} a @param {Stats} b @returns {Stats} */
function addOne (a, b) {
  return { sum: a.sum + b.sum, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max), count: a.count + b.count, sumsqr: a.sumsqr + b.sumsqr }
}

/** @param {boolean} first @param {boolean} other */
function checkShape (first, other) {
  if (first !== other) throw builtInError('_stats function requires map values to be numbers or number arrays, not a mix of both.')
}

/** @param {any[]} first @param {any[]} other */
function checkLength (first, other) {
  if (first.length !== other.length) throw builtInError('_stats function: if the map function outputs arrays, they need to have consistent length.')
}

/**
 * A function of the application's. As in PouchDB it is called once a group, and never rereduces.
 *
 * @param {string} source
 * @param {(error: any, group: any) => void} [onError]
 */
function customReduce (source, onError) {
  return (/** @type {Array<{ id: string, key: any, value: any }>} */ rows) => {
    const keys = rows.map(({ id, key }) => [key, id])
    const values = rows.map(({ value }) => value)
    try {
      const result = compile('reduce', source)(JSON.stringify(keys), JSON.stringify(values), false)
      return typeof result === 'object' ? structuredClone(result) : result
    } catch (error) {
      onError?.(error, { keys, values, rereduce: false })
      return null
    }
  }
}

/**
 * @param {any} reduce source or function
 * @param {(error: any, group: any) => void} [onError] of a function of the application's, whose value is
 *   null then
 * @returns {import('../reduces/reducer').PlainReducer & { rereduces: boolean }} rereduces: it may be given parts
 *   of a group
 */
function reducerOf (reduce, onError) {
  const source = reduce.toString()
  if (!source.startsWith('_')) {
    const custom = customReduce(source, onError)
    return { ...builtInReducer('', { reads: 'rows', reduce: custom, rereduce: custom }), rereduces: false }
  }
  const name = Object.keys(builtIns).find(name => source.startsWith(name))
  if (name === undefined) throw badRequest(`${source} is not a supported reduce function.`)
  return { ...builtInReducer(nameOf(name), builtIns[name]), rereduces: true }
}

module.exports = { reducerOf }
