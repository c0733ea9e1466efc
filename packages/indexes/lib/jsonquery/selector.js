'use strict'

const { escapePath } = require('../mango/selector/path')
const { prefixOf } = require('./matching')

/**
 * A Mango selector that accepts all that a condition accepts, and perhaps more.
 *
 * @typedef {object} Bound
 * @property {Record<string, any>} selector
 * @property {boolean} isExact it accepts nothing else
 * @property {string[]} fields those that all have that it accepts
 */

/** @typedef {import('./syntax').Node} Node */

/** Text that equals no other in any collation. */
const PLAIN = /^[\x20-\x7e]*$/

/** Names that mean something else in the path of a selector. */
const ODD = /^[+-]?\d+$|^length$|\\|^$/

/**
 * The field that a node reads of the current value, as Mango names it.
 *
 * @param {Node} node
 * @returns {string | null}
 */
function fieldOf (node) {
  /** @type {string[]} */
  const path = []
  let at = node
  for (; at.type === 'member'; at = at.of) {
    if (ODD.test(at.name) || !at.name.isWellFormed()) return null
    path.unshift(at.name)
  }
  return at.type === 'current' && path.length > 0 ? escapePath(path) : null
}

/**
 * @param {Node} node a condition on a document
 * @returns {Bound | null} null if no selector says anything of it
 */
function boundOf (node) {
  if (node.type === 'binary') return ofBinary(node)
  if (node.type === 'match') return ofMatch(node)
  const field = fieldOf(node)
  return field === null ? null : { selector: { [field]: { $exists: true } }, isExact: false, fields: [field] }
}

/** @param {import('./syntax').Binary} node @returns {Bound | null} */
function ofBinary ({ op, left, right }) {
  if (op === '&') return both(boundOf(left), boundOf(right))
  if (op === '|') return either(boundOf(left), boundOf(right))
  if (right.type === 'literal') return compared(op, fieldOf(left), right.value)
  return left.type === 'literal' ? compared(OPPOSITES[op] ?? op, fieldOf(right), left.value) : null
}

/** The same with the sides changed. @type {Record<string, string>} */
const OPPOSITES = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** @param {Bound | null} a @param {Bound | null} b @returns {Bound | null} */
function both (a, b) {
  if (a === null || b === null) return a === null ? b && { ...b, isExact: false } : { ...a, isExact: false }
  return { selector: { $and: [a.selector, b.selector] }, isExact: a.isExact && b.isExact, fields: [...a.fields, ...b.fields] }
}

/** @param {Bound | null} a @param {Bound | null} b @returns {Bound | null} */
function either (a, b) {
  if (a === null || b === null) return null
  return { selector: { $or: [a.selector, b.selector] }, isExact: a.isExact && b.isExact, fields: a.fields.filter(field => b.fields.includes(field)) }
}

/** The values of the type are between `true` and '', or between '' and []. */
const RANGES = { number: { $gt: true, $lt: '' }, string: { $gte: '', $lt: [] } }

/** @type {Record<string, string>} */
const COMPARISONS = { '<': '$lt', '<=': '$lte', '>': '$gt', '>=': '$gte' }

/** Texts up to this length are compared whole, wherever they are compared. */
const LONGEST = 1000

/** @param {string} op @param {string | null} field @param {any} value @returns {Bound | null} */
function compared (op, field, value) {
  const type = typeof value
  if (field === null || (type === 'string' && (value.length > LONGEST || !value.isWellFormed()))) return null
  if (op === '=' && value !== null) return { selector: { [field]: { $eq: value } }, isExact: type !== 'string' || PLAIN.test(value), fields: [field] }
  // Ids have an order of their own.
  if (field === '_id' || !Object.hasOwn(COMPARISONS, op) || (type !== 'number' && type !== 'string')) return null
  const range = RANGES[/** @type {'number' | 'string'} */ (type)]
  const [lower, upper] = Object.entries(range)
  const other = op.startsWith('<') ? lower : upper
  return { selector: { [field]: { [COMPARISONS[op]]: value, [other[0]]: other[1] } }, isExact: true, fields: [field] }
}

/** @param {import('./syntax').Match} node @returns {Bound | null} */
function ofMatch ({ of, pattern, folds }) {
  const field = fieldOf(of)
  if (field === null) return null
  const prefix = folds ? '' : prefixOf(pattern)
  if (prefix === '' || !prefix.isWellFormed()) return { selector: { [field]: { $exists: true } }, isExact: false, fields: [field] }
  return { selector: { [field]: { $beginsWith: prefix } }, isExact: pattern === `${prefix}*`, fields: [field] }
}

module.exports = { both, boundOf, fieldOf }
