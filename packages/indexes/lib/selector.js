'use strict'

const { createError } = require('@potoroo/errors')
const { couchCollation } = require('@potoroo/collation')
const { compileRegex } = require('./regex')

const { compare } = couchCollation

/**
 * A selector as a function of a value.
 * @typedef {(value: any) => boolean} Matcher
 */

/** How deep selectors may nest: more would end the stack. */
const DEPTH = 100

/**
 * Compiles a Mango selector. As in CouchDB, a field that a document does not have matches
 * nothing but `$exists: false`, under a negation too: `$not` moves inwards to the operators.
 *
 * @param {any} selector
 * @returns {Matcher} takes the document
 * @throws invalid_selector_json, invalid_operator, bad_arg: each with status 400
 * @see https://docs.couchdb.org/en/stable/api/database/find.html#selector-syntax
 */
function compileSelector (selector) {
  if (!isObject(selector)) {
    throw createError('BAD_REQUEST', { error: 'invalid_selector_json', reason: `Selector must be a JSON object, not: ${JSON.stringify(selector)}` })
  }
  return compile(selector, false, 0)
}

/** A selector of fields or operators on one value. */
function compile (selector, negate, depth) {
  if (depth > DEPTH) throw badArgument('$and', 'nested too deeply')
  if (!isObject(selector)) return operator(negate ? '$ne' : '$eq', selector)
  const parts = Object.entries(selector).map(([key, argument]) => part(key, argument, negate, depth))
  if (parts.length === 1) return parts[0]
  return negate ? any(parts) : all(parts)
}

function part (key, argument, negate, depth) {
  if (Object.hasOwn(combinations, key)) return combinations[key](key, argument, negate, depth + 1)
  if (key.startsWith('$')) return negate ? negated(key, argument, depth) : positive(key, argument, depth)
  const path = parsePath(key)
  // Of a field, {} is a value and not a selector without conditions.
  const inner = isEmpty(argument) ? operator(negate ? '$ne' : '$eq', argument) : compile(argument, negate, depth + 1)
  const ifMissing = acceptsMissing(argument, negate)
  return doc => {
    const value = fieldOf(doc, path)
    return value === undefined ? ifMissing : inner(value)
  }
}

/** @type {Record<string, (key: string, argument: any, negate: boolean, depth: number) => Matcher>} */
const combinations = {
  $and: (key, list, negate, depth) => (negate ? any : all)(each(key, list, negate, depth)),
  $or: (key, list, negate, depth) => (negate ? all : any)(each(key, list, negate, depth)),
  $nor: (key, list, negate, depth) => (negate ? any : all)(each(key, list, !negate, depth)),
  $not: (key, argument, negate, depth) => compile(objectArgument(key, argument), !negate, depth)
}

function isEmpty (argument) { return isObject(argument) && Object.keys(argument).length === 0 }

function each (key, list, negate, depth) {
  if (!Array.isArray(list)) throw badArgument(key, list)
  return list.map(item => compile(objectArgument(key, item), negate, depth))
}

function all (matchers) { return value => matchers.every(matches => matches(value)) }
function any (matchers) { return value => matchers.some(matches => matches(value)) }

/** Only `$exists` can want a field to be missing. */
function acceptsMissing (argument, negate) {
  if (!isObject(argument)) return false
  const keys = Object.keys(argument)
  if (keys.length === 1 && keys[0] === '$not') return acceptsMissing(argument.$not, !negate)
  return keys.length === 1 && keys[0] === '$exists' && (argument.$exists === negate)
}

const OPPOSITES = { $eq: '$ne', $ne: '$eq', $in: '$nin', $nin: '$in', $lt: '$gte', $gte: '$lt', $gt: '$lte', $lte: '$gt' }

function negated (key, argument, depth) {
  if (Object.hasOwn(OPPOSITES, key)) return positive(OPPOSITES[key], argument, depth)
  const matches = positive(key, argument, depth)
  return value => !matches(value)
}

function positive (key, argument, depth) {
  if (Object.hasOwn(nestings, key)) return nestings[key](compile(objectArgument(key, argument), false, depth + 1))
  return operator(key, argument)
}

/** @type {Record<string, (matches: Matcher) => Matcher>} */
const nestings = {
  $elemMatch: matches => value => Array.isArray(value) && value.some(matches),
  $allMatch: matches => value => Array.isArray(value) && value.length > 0 && value.every(matches),
  $keyMapMatch: matches => value => isObject(value) && Object.keys(value).some(matches)
}

function operator (key, argument) {
  if (!Object.hasOwn(operators, key)) throw createError('BAD_REQUEST', { error: 'invalid_operator', reason: `Invalid operator: ${key}` })
  return operators[key](argument)
}

/** @type {Record<string, (argument: any) => Matcher>} */
const operators = {
  $eq: argument => value => compare(value, argument) === 0,
  $ne: argument => value => compare(value, argument) !== 0,
  $lt: argument => value => compare(value, argument) < 0,
  $lte: argument => value => compare(value, argument) <= 0,
  $gt: argument => value => compare(value, argument) > 0,
  $gte: argument => value => compare(value, argument) >= 0,
  $in: list => isIn(arrayArgument('$in', list)),
  $nin (list) {
    const matches = isIn(arrayArgument('$nin', list))
    return value => !matches(value)
  },
  $all: list => hasAll(arrayArgument('$all', list)),
  $exists (wanted) {
    if (typeof wanted !== 'boolean') throw badArgument('$exists', wanted)
    return () => wanted
  },
  $type (type) {
    if (typeof type !== 'string') throw badArgument('$type', type)
    return value => typeOf(value) === type
  },
  $size (size) {
    if (!Number.isInteger(size)) throw badArgument('$size', size)
    return value => Array.isArray(value) && value.length === size
  },
  $mod (argument) {
    const [divisor, remainder] = Array.isArray(argument) && argument.length === 2 ? argument : [0, 0]
    if (!Number.isInteger(divisor) || !Number.isInteger(remainder) || divisor === 0) throw badArgument('$mod', argument)
    return value => Number.isInteger(value) && value % divisor === remainder
  },
  $regex (pattern) {
    const matches = typeof pattern === 'string' ? compileRegex(pattern) : null
    if (matches === null) throw badArgument('$regex', pattern)
    return value => typeof value === 'string' && matches(value)
  },
  $beginsWith (prefix) {
    if (typeof prefix !== 'string') throw badArgument('$beginsWith', prefix)
    return value => typeof value === 'string' && value.startsWith(prefix)
  }
}

function isIn (list) {
  const has = value => list.some(item => compare(item, value) === 0)
  return value => has(value) || (Array.isArray(value) && value.some(has))
}

function hasAll (list) {
  const contains = (values, item) => values.some(value => compare(value, item) === 0)
  return value => Array.isArray(value) && list.length > 0 &&
    (list.every(item => contains(value, item)) || (list.length === 1 && compare(value, list[0]) === 0))
}

function typeOf (value) {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** `a.b\.c` → `['a', 'b.c']` */
function parsePath (field) {
  return field.split(/(?<!\\)\./).map(name => name.replaceAll('\\.', '.'))
}

function fieldOf (doc, path) {
  let value = doc
  for (const name of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

function objectArgument (key, argument) {
  if (!isObject(argument)) throw badArgument(key, argument)
  return argument
}

function arrayArgument (key, argument) {
  if (!Array.isArray(argument)) throw badArgument(key, argument)
  return argument
}

function badArgument (key, argument) {
  return createError('BAD_REQUEST', { error: 'bad_arg', reason: `Bad argument for operator ${key}: ${JSON.stringify(argument)}` })
}

module.exports = { compileSelector, parsePath, fieldOf }
