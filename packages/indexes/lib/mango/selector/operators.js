'use strict'

const { couchCollation } = require('@potoroo/collation')
const { badArgument } = require('./mango-error')
const { compileRegex } = require('./regex/expression')
const { typeOf } = require('./type-of')

/**
 * A condition on a value, which is there.
 * @typedef {(value: any) => boolean} Matcher
 * @typedef {(a: any, b: any) => number} Compare negative, 0 or positive
 */

const isList = Array.isArray
/** @param {any} value */
const isText = value => typeof value === 'string'
const always = () => true

/**
 * Checks of what an operator takes. CouchDB has no such operator where a `$regex` or a `$beginsWith` is no string.
 * @type {Record<string, (argument: any) => boolean>}
 */
const takes = {
  $lt: always,
  $lte: always,
  $eq: always,
  $ne: always,
  $gte: always,
  $gt: always,
  $in: isList,
  $nin: isList,
  $all: isList,
  $exists: argument => typeof argument === 'boolean',
  $type: isText,
  $mod: argument => isList(argument) && argument.length === 2 && argument.every(Number.isInteger) && argument[0] !== 0,
  $size: argument => Number.isInteger(argument) && argument >= 0,
  $regex: argument => compileRegex(argument) !== null,
  $beginsWith: always
}

/**
 * @param {string} name
 * @param {any} argument
 * @returns {boolean} false where there is no such operator
 * @throws bad_arg
 */
function isValid (name, argument) {
  if (!Object.hasOwn(takes, name)) return false
  if ((name === '$regex' || name === '$beginsWith') && !isText(argument)) return false
  if (!takes[name](argument)) throw badArgument(name, argument)
  return true
}

/**
 * @param {string} name of an operator
 * @param {any} argument valid
 * @param {Compare} compare
 * @returns {Matcher}
 */
function compileOperator (name, argument, compare) { return makers[name](argument, compare) }

/** @type {Record<string, (argument: any, compare: Compare) => Matcher>} */
const makers = {
  $eq: equals,
  $ne (argument, compare) {
    const matches = equals(argument, compare)
    return value => !matches(value)
  },
  $lt: (argument, compare) => ordered(argument, compare, order => order < 0, (a, b) => a < b),
  $lte: (argument, compare) => ordered(argument, compare, order => order <= 0, (a, b) => a <= b),
  $gt: (argument, compare) => ordered(argument, compare, order => order > 0, (a, b) => a > b),
  $gte: (argument, compare) => ordered(argument, compare, order => order >= 0, (a, b) => a >= b),
  $in: isAmong,
  $nin (list, compare) {
    const matches = isAmong(list, compare)
    return value => !matches(value)
  },
  $all: hasAll,
  // Missing values do not come here.
  $exists: wanted => () => wanted,
  $type: type => value => typeOf(value) === type,
  $size: size => value => isList(value) && value.length === size,
  $mod: ([divisor, remainder]) => value => Number.isInteger(value) && value % divisor === remainder,
  $regex (pattern) {
    const expression = /** @type {import('./regex/expression').Expression} */ (compileRegex(pattern))
    return value => isText(value) && expression.test(value)
  },
  $beginsWith: prefix => value => isText(value) && value.startsWith(prefix) && !(prefix !== '' && EXTENDS.test(value.slice(prefix.length, prefix.length + 2)))
}

/** A letter that belongs to the character before it: 'e' does not begin a decomposed 'é'. */
const EXTENDS = /^[\p{Grapheme_Extend}\u200d]/u

/** Text that equals no other of its kind in any collation. */
const PLAIN = /^[\x20-\x7e]*$/

/** @param {any} argument @param {Compare} compare @returns {Matcher} */
function equals (argument, compare) {
  if (isText(argument)) {
    const plain = PLAIN.test(argument)
    return value => value === argument || (isText(value) && !(plain && PLAIN.test(value)) && compare(value, argument) === 0)
  }
  if (typeof argument !== 'object' || argument === null) return value => value === argument
  return value => typeof value === 'object' && compare(value, argument) === 0
}

/**
 * Numbers are compared as they are, which is faster.
 *
 * @param {any} argument
 * @param {Compare} compare
 * @param {(order: number) => boolean} accepts
 * @param {(a: number, b: number) => boolean} ofNumbers
 * @returns {Matcher}
 */
function ordered (argument, compare, accepts, ofNumbers) {
  if (typeof argument !== 'number' || compare !== couchCollation.compare) return value => accepts(compare(value, argument))
  return value => typeof value === 'number' ? ofNumbers(value, argument) : accepts(compare(value, argument))
}

/** Lists up to this long are gone through. */
const FEW = 4

/**
 * Accepts values in the list, and arrays with an element in it. An array itself may not be in the list.
 * @param {any[]} list @param {Compare} compare @returns {Matcher}
 */
function isAmong (list, compare) {
  const equal = list.length > FEW ? oneOf(list, compare) : anyOf(list.map(item => equals(item, compare)))
  return value => {
    if (!isList(value)) return equal(value)
    for (let i = 0; i < value.length; i++) if (equal(value[i])) return true
    return false
  }
}

/** @param {Matcher[]} matchers @returns {Matcher} */
function anyOf (matchers) {
  return value => {
    for (let i = 0; i < matchers.length; i++) if (matchers[i](value)) return true
    return false
  }
}

/**
 * Most values are found, or not, by one look.
 *
 * @param {any[]} list
 * @param {Compare} compare
 * @returns {Matcher}
 */
function oneOf (list, compare) {
  const known = new Set(list)
  const isPlain = (/** @type {any} */ value) => typeof value === 'object' ? value === null : !isText(value) || PLAIN.test(value)
  const among = anyOf(list.map(item => equals(item, compare)))
  const others = anyOf(list.filter(item => !isPlain(item)).map(item => equals(item, compare)))
  return value => known.has(value) || (isPlain(value) ? others(value) : among(value))
}

/** The array has all of them, or is the one. @param {any[]} list @returns {Matcher} */
function hasAll (list) {
  if (list.length === 0) return () => false
  const [only] = list
  return value => isList(value) && (list.every(item => includes(value, item)) ||
    (list.length === 1 && isList(only) && isSame(value, only)))
}

/** @param {any[]} list @param {any} item */
function includes (list, item) {
  return typeof item === 'object' && item !== null ? list.some(element => isSame(element, item)) : list.includes(item)
}

/**
 * To the letter, and not by collation; members are in the same order.
 *
 * @param {any} a
 * @param {any} b
 * @returns {boolean}
 */
function isSame (a, b) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b
  if (isList(a) !== isList(b)) return false
  const names = Object.keys(a)
  const others = Object.keys(b)
  return names.length === others.length && names.every((name, i) => name === others[i] && isSame(a[name], b[name]))
}

/**
 * The order of `_id`, as `_all_docs` has it: by bytes. Ids are strings, which come after all else.
 * @type {Compare}
 */
function compareIds (value, argument) {
  if (!isText(value)) return couchCollation.compare(value, argument)
  if (!isText(argument)) return 1
  if (PLAIN.test(value) && PLAIN.test(argument)) return value < argument ? -1 : value === argument ? 0 : 1
  return Buffer.compare(Buffer.from(value), Buffer.from(argument))
}

module.exports = { compileOperator, compareIds, includes, isValid }
