'use strict'

const { createError } = require('@potoroo/errors')
const { compile } = require('./compile')

/**
 * Reduces the rows of one group as they are read.
 * @typedef {{ add: (row: { id: string, key: any, value: any }) => void, value: () => any }} Reduction
 */

class Count {
  #count = 0
  add () { this.#count++ }
  value () { return this.#count }
}

class Sum {
  #sum = /** @type {number | number[]} */ (0)

  add ({ value }) {
    if (Array.isArray(value)) this.#addArray(value)
    else if (typeof value !== 'number') throw notNumbers()
    else if (typeof this.#sum === 'number') this.#sum += value
    else this.#sum[0] += value
  }

  #addArray (values) {
    const sums = typeof this.#sum === 'number' ? [this.#sum] : this.#sum
    for (let i = 0; i < values.length; i++) {
      if (typeof values[i] !== 'number') throw notNumbers()
      if (i < sums.length) sums[i] += values[i]
      else sums.push(values[i])
    }
    this.#sum = sums
  }

  value () { return this.#sum }
}

/** Of numbers, or, member by member, of arrays that are all as long. */
class Stats {
  #first = /** @type {any} */ (undefined)
  #all = []

  add ({ value }) {
    if (this.#all.length === 0) this.#begin(value)
    if (Array.isArray(value) !== Array.isArray(this.#first)) throw builtInError('_stats function requires map values to be numbers or number arrays, not a mix of both.')
    const values = Array.isArray(value) ? value : [value]
    if (values.length !== this.#all.length) throw builtInError('_stats function: if the map function outputs arrays, they need to have consistent length.')
    for (let i = 0; i < values.length; i++) addTo(this.#all[i], values[i])
  }

  #begin (value) {
    this.#first = value
    this.#all = Array.from({ length: Array.isArray(value) ? value.length : 1 }, () => ({ sum: 0, min: Infinity, max: -Infinity, count: 0, sumsqr: 0 }))
  }

  value () { return Array.isArray(this.#first) ? this.#all : this.#all[0] }
}

function addTo (stats, number) {
  if (typeof number !== 'number') throw notNumbers()
  stats.sum += number
  stats.min = Math.min(stats.min, number)
  stats.max = Math.max(stats.max, number)
  stats.count++
  stats.sumsqr += number * number
}

function notNumbers () { return builtInError('_sum function requires map values to be numbers or number arrays') }

/** PouchDB's own words. */
function builtInError (reason) {
  return createError('FUNCTION_ERROR', { error: 'invalid_value', reason: `builtin ${reason}` })
}

/** A function of the application's. As in PouchDB it is called once a group, and never rereduces. */
class Custom {
  #keys = []
  #values = []

  constructor (source, onError) {
    this.source = source
    this.onError = onError
  }

  add ({ id, key, value }) {
    this.#keys.push([key, id])
    this.#values.push(value)
  }

  /** null where the function throws, which is told. */
  value () {
    try {
      const result = compile('reduce', this.source)(JSON.stringify(this.#keys), JSON.stringify(this.#values), false)
      return typeof result === 'object' ? structuredClone(result) : result
    } catch (error) {
      this.onError?.(error, { keys: this.#keys, values: this.#values, rereduce: false })
      return null
    }
  }
}

/** By what the source begins with. */
const builtIns = { _sum: Sum, _count: Count, _stats: Stats }

/**
 * @param {any} reduce source or function
 * @param {(error: any, group: any) => void} [onError] of a function of the application's
 * @returns {{ (): Reduction, counts?: boolean }} counts: it is the number of rows
 */
function reductionOf (reduce, onError) {
  const source = reduce.toString()
  if (!source.startsWith('_')) return () => new Custom(source, onError)
  const name = Object.keys(builtIns).find(name => source.startsWith(name))
  if (name === undefined) throw createError('BAD_REQUEST', { reason: `${source} is not a supported reduce function.` })
  return Object.assign(() => new builtIns[name](), { counts: name === '_count' })
}

module.exports = { reductionOf }
