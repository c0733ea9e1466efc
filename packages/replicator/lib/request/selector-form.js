'use strict'

const { isObject } = require('@potoroo/document-store')

/** Operators that join selectors, and those that look into a value with one. */
const JOINING = new Set(['$and', '$or', '$nor'])
const INNER = new Set(['$elemMatch', '$allMatch', '$keyMapMatch'])

/**
 * A selector in the form that CouchDB hashes: every field has one operator, several conditions are
 * an `$and`, fields of fields are paths (`a.b`), and members are sorted. Negations stay where they
 * are, which makes another id than CouchDB's, and is the same each time.
 *
 * @param {any} selector
 * @param {string} [path]
 * @returns {any}
 */
function canonicalSelector (selector, path = '') {
  if (!isObject(selector)) return { [path]: { $eq: sorted(selector) } }
  const names = Object.keys(selector)
  if (names.length === 0) return path === '' ? {} : { [path]: {} }
  if (names.length > 1) return { $and: names.map(name => canonicalSelector({ [name]: selector[name] }, path)) }
  const [name] = names
  const value = selector[name]
  if (!name.startsWith('$')) return canonicalSelector(value, path === '' ? name : `${path}.${name}`)
  if (JOINING.has(name) && Array.isArray(value)) return { [name]: value.map(each => canonicalSelector(each, path)) }
  if (name === '$not') return { $not: canonicalSelector(value, path) }
  return { [path]: { [name]: INNER.has(name) ? canonicalSelector(value) : sorted(value) } }
}

/**
 * Members in one order, so that values that are the same look the same.
 *
 * @param {any} value
 * @returns {any}
 */
function sorted (value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
}

module.exports = { canonicalSelector }
