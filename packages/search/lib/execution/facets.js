'use strict'

/**
 * Counts what documents have in some fields.
 *
 * @typedef {{ low: number, high: number, includeLow: boolean, includeHigh: boolean }} NumberRange
 */
class Facets {
  #counts
  #ranges
  /** Fields and ranges that are looked at of each document. */
  cost
  /** field → value → documents @type {Record<string, Record<string, number>>} */
  counts = Object.create(null)
  /** field → label → documents @type {Record<string, Record<string, number>>} */
  ranges = Object.create(null)

  /**
   * @param {string[]} counts fields whose values are counted
   * @param {Record<string, Record<string, NumberRange>>} ranges by field and label
   */
  constructor (counts, ranges) {
    this.#counts = counts
    this.#ranges = Object.entries(ranges).map(([field, labels]) => ({ field, labels: Object.entries(labels) }))
    this.cost = counts.length + this.#ranges.reduce((sum, { labels }) => sum + labels.length, 0)
    for (const field of counts) this.counts[field] = Object.create(null)
    for (const field of Object.keys(ranges)) this.ranges[field] = Object.create(null)
  }

  /** @param {Record<string, any>} values of a document */
  add (values) {
    for (const field of this.#counts) for (const value of valuesOf(values, field)) count(this.counts[field], String(value))
    for (const { field, labels } of this.#ranges) {
      const numbers = valuesOf(values, field).filter(value => typeof value === 'number')
      for (const [label, range] of labels) if (numbers.some(number => isIn(range, number))) count(this.ranges[field], label)
    }
  }
}

/** @param {Record<string, any>} values @param {string} field @returns {any[]} each once */
function valuesOf (values, field) {
  if (!Object.hasOwn(values, field)) return []
  const value = values[field]
  return Array.isArray(value) ? [...new Set(value)] : [value]
}

/** @param {Record<string, number>} counts @param {string} name */
function count (counts, name) { counts[name] = (counts[name] ?? 0) + 1 }

/** @param {NumberRange} range @param {number} number */
function isIn ({ low, high, includeLow, includeHigh }, number) {
  return (includeLow ? number >= low : number > low) && (includeHigh ? number <= high : number < high)
}

module.exports = { Facets }
