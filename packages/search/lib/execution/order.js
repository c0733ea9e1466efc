'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { distance } = require('./distance')

/**
 * One thing that hits are ordered by.
 *
 * @typedef {{ by: 'score', descending: boolean } | { by: 'doc', descending: boolean } | { by: 'id', descending: boolean }
 *   | { by: 'number', field: string, descending: boolean, least?: boolean, missing?: number } | { by: 'string', field: string, descending: boolean, least?: boolean }
 *   | { by: 'distance', descending: boolean, lonField: string, latField: string, lon: number, lat: number, unit: number }} Sort unit: meters; least: of several values
 *   the least counts, and not the first; missing: the number of a document without one
 *
 * @typedef {{ doc: number, score: number, record?: import('../index/reader').DocumentRecord, keys: any[] }} Hit keys: what it is
 *   ordered by, and its document
 */

const NOTHING = { id: '', values: {} }

/** @type {Sort[]} */
const RELEVANCE = [{ by: 'score', descending: true }]

/** Whether fields of documents are needed. @param {Sort[]} sorts */
function readsFields (sorts) { return sorts.some(({ by }) => by !== 'score' && by !== 'doc') }

/** @param {Record<string, any>} values @param {string} field @param {boolean} [least] of several values, and not the first */
function valueOf (values, field, least = false) {
  const value = Object.hasOwn(values, field) ? values[field] : undefined
  if (!Array.isArray(value)) return value
  return least ? value.reduce((one, other) => compareValues(other, one) < 0 ? other : one) : value[0]
}

/**
 * Returns the keys that a hit is ordered by.
 *
 * @param {Sort[]} sorts
 * @param {number} doc
 * @param {number} score
 * @param {Pick<import('../index/reader').DocumentRecord, 'id' | 'values'>} [record] where it is read
 * @returns {any[]} one of each, null: it has none; and the document
 */
function keysOf (sorts, doc, score, { id, values } = NOTHING) {
  const keys = sorts.map(sort => {
    switch (sort.by) {
      case 'score': return score
      case 'doc': return doc
      case 'id': return id
      case 'distance': return distanceOf(sort, values)
      case 'number': return numberOf(sort, values)
      default: return textOf(valueOf(values, sort.field, sort.least))
    }
  })
  keys.push(doc)
  return keys
}

/** @param {Extract<Sort, { by: 'number' }>} sort @param {Record<string, any>} values */
function numberOf ({ field, least, missing }, values) {
  const value = valueOf(values, field, least)
  return typeof value === 'number' ? value : missing ?? null
}

/** @param {any} value */
function textOf (value) { return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : null }

/** @param {Extract<Sort, { by: 'distance' }>} sort @param {Record<string, any>} values */
function distanceOf ({ lonField, latField, lon, lat, unit }, values) {
  const point = [valueOf(values, lonField), valueOf(values, latField)]
  return point.every(each => typeof each === 'number') ? distance([lon, lat], /** @type {[number, number]} */ (point)) / unit : null
}

/** The least comes first, and what a document has not before all. @param {any} a @param {any} b */
function compareValues (a, b) {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  if (typeof a === 'string') return compareUtf8(a, b)
  return a - b
}

/**
 * @param {Sort[]} [sorts] by relevance, if there are none
 * @returns {(a: any[], b: any[]) => number} of keys; documents that are alike come in their order
 */
function comparator (sorts = RELEVANCE) {
  return (a, b) => {
    for (let i = 0; i < sorts.length; i++) {
      const order = compareValues(a[i], b[i])
      if (order !== 0) return sorts[i].descending ? -order : order
    }
    return a[sorts.length] - b[sorts.length]
  }
}

/** Sorts by texts: the keys of others are numbers. */
const TEXTS = new Set(['id', 'string'])

/**
 * Whether keys are those that a hit of an order may have: they may come from a client.
 *
 * @param {unknown} keys
 * @param {Sort[]} [sorts]
 * @returns {keys is any[]}
 */
function areKeys (keys, sorts = RELEVANCE) {
  return Array.isArray(keys) && keys.length === sorts.length + 1 && typeof keys[sorts.length] === 'number' && sorts.every(({ by }, i) => keys[i] === null || (TEXTS.has(by) ? typeof keys[i] === 'string' : typeof keys[i] === 'number'))
}

module.exports = { RELEVANCE, areKeys, comparator, keysOf, readsFields, valueOf }
