'use strict'

const { collate } = require('pouchdb-collate')
const { parseField } = require('pouchdb-selector-core')
const { typeOf } = require('../mango/selector/type-of')

/**
 * pouchdb-selector-core's selectors as closures. They say what its `rowFilter` says, of odd documents
 * and odd selectors too, and throw what it throws, when they are called.
 *
 * @typedef {(value: any) => boolean} Matcher
 */

/**
 * @param {Record<string, any>} selector massaged
 * @param {string[]} fields of it that count
 * @returns {Matcher} of documents
 */
function compileFields (selector, fields) {
  const matchers = fields.map(field => compileField(field, selector[field]))
  return matchers.length === 1 ? matchers[0] : doc => matchers.every(matches => matches(doc))
}

/** @param {Record<string, any>} selector @returns {Matcher} */
function compileSelector (selector) { return compileFields(selector, Object.keys(selector)) }

/** @param {string} field @param {any} argument @returns {Matcher} */
function compileField (field, argument) {
  if (Object.hasOwn(combinations, field)) return combinations[field](argument)
  const path = parseField(field)
  const matches = compileValue(argument)
  return doc => matches(fieldOf(doc, path))
}

/** @type {Record<string, (argument: any) => Matcher>} */
const combinations = {
  $or: anyOf,
  $nor (list) {
    const matches = anyOf(list)
    return doc => !matches(doc)
  },
  $not (selector) {
    const matches = compileSelector(selector)
    return doc => !matches(doc)
  }
}

/** @param {Array<Record<string, any>>} list @returns {Matcher} */
function anyOf (list) {
  const matchers = list.map(compileSelector)
  return doc => matchers.some(matches => matches(doc))
}

/**
 * A path ends at the first value that is not true: that is the value.
 *
 * @param {any} doc
 * @param {string[]} path
 * @returns {any}
 */
function fieldOf (doc, path) {
  let value = doc
  for (let i = 0; i < path.length; i++) {
    value = value[path[i]]
    if (!value) break
  }
  return value
}

/**
 * Compiles what is said of one value: operators, or members of it.
 *
 * @param {any} argument
 * @returns {Matcher}
 */
function compileValue (argument) {
  if (!argument) return () => true
  if (typeof argument !== 'object') return value => argument === value
  const matchers = Object.entries(argument).map(([key, inner]) => key.startsWith('$') ? compileOperator(key, inner) : compileMember(key, inner))
  return matchers.length === 1 ? matchers[0] : value => matchers.every(matches => matches(value))
}

/** @param {string} name @param {any} argument @returns {Matcher} */
function compileMember (name, argument) {
  const path = parseField(name)
  const isObject = typeof argument === 'object'
  const matches = isObject ? compileValue(argument) : operators.$eq(argument)
  return value => (value !== undefined || isObject) && matches(fieldOf(value, path))
}

/** @param {string} name @param {any} argument @returns {Matcher} */
function compileOperator (name, argument) {
  if (Object.hasOwn(operators, name)) return operators[name](argument)
  return () => {
    throw new Error(`unknown operator "${name}" - should be one of $eq, $lte, $lt, $gt, $gte, $exists, $ne, $in, ` +
      '$nin, $size, $mod, $regex, $elemMatch, $type, $allMatch or $all')
  }
}

/**
 * `$regex` is JavaScript's own, without a clock and without PCRE's translation: expressions are the application's, in its
 * own process, and have to find here what they find in every other PouchDB.
 *
 * @type {Record<string, (argument: any) => Matcher>}
 */
const operators = {
  $eq: argument => value => value !== undefined && compare(value, argument) === 0,
  $gt: argument => value => value !== undefined && compare(value, argument) > 0,
  $gte: argument => value => value !== undefined && compare(value, argument) >= 0,
  $lt: argument => value => value !== undefined && compare(value, argument) < 0,
  $lte: argument => value => value !== undefined && compare(value, argument) <= 0,
  $ne: list => value => list.every((/** @type {any} */ other) => compare(value, other) !== 0),
  $exists: wanted => value => (value !== undefined) === Boolean(wanted),
  $in: list => value => isThere(value) && contains(list, value),
  $nin: list => value => isThere(value) && !contains(list, value),
  $size: size => value => Array.isArray(value) && value.length === size,
  $all: list => value => Array.isArray(value) && list.every((/** @type {any} */ wanted) => value.some(item => compare(wanted, item) === 0)),
  $mod: ([divisor, remainder]) => value => typeof value === 'number' && parseInt(String(value), 10) === value && value % divisor === remainder,
  $regex: list => value => typeof value === 'string' && list.every((/** @type {string | RegExp} */ pattern) => new RegExp(pattern).test(value)),
  $type: name => value => typeOf(value) === name,
  $elemMatch: argument => ofElements(argument, 'some'),
  $allMatch: argument => ofElements(argument, 'every')
}

/** @param {any} value */
function isThere (value) { return value !== undefined && value !== null }

/** @param {any[]} list @param {any} value @returns {boolean} */
function contains (list, value) {
  const isIn = (/** @type {any} */ item) => list.some(wanted => compare(wanted, item) === 0)
  return Array.isArray(value) ? value.some(isIn) : isIn(value)
}

/**
 * Whether the first element is an object decides what the argument is.
 *
 * @param {any} argument
 * @param {'some' | 'every'} method
 * @returns {Matcher}
 */
function ofElements (argument, method) {
  const ofMembers = compileSelector(argument)
  const ofValue = compileValue(argument)
  return value => {
    if (!Array.isArray(value) || value.length === 0) return false
    return value[method](typeof value[0] === 'object' && value[0] !== null ? ofMembers : ofValue)
  }
}

/**
 * pouchdb-collate's order, with short ways for what is most frequent.
 *
 * @param {any} a
 * @param {any} b
 */
function compare (a, b) {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return a > b ? 1 : -1
  return collate(a, b)
}

module.exports = { compileFields, compileSelector }
