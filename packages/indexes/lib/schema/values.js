'use strict'

const { Expression, whyTooLarge } = require('../mango/selector/regex/expression')
const { canonical, equals, isObject, sizeOf } = require('./equality')
const { invalid } = require('./invalid')
const { isMultiple } = require('./multiple')

/** @typedef {import('./keywords').Keyword} Keyword */

/** Characters of what is told of an argument. */
const LONGEST = 120

/** Milliseconds that an expression may take with a text. */
const PATIENCE = 50

/** Steps of arithmetic without rounding. */
const EXACT = 16

/** Steps of an expression that runs under a clock. */
const CLOCK = 192

/** Characters that are counted in a step. */
const CHARACTERS = 8

/** @type {Record<string, (value: any) => boolean>} */
const TYPES = {
  null: value => value === null,
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  number: value => typeof value === 'number',
  integer: Number.isInteger,
  string: value => typeof value === 'string'
}

/** @type {Keyword} */
function type (argument, { place }) {
  const names = [argument].flat()
  if (names.length === 0 || new Set(names).size < names.length || !names.every(name => typeof name === 'string' && Object.hasOwn(TYPES, name))) throw invalid(place, `must be one of ${Object.keys(TYPES).join(', ')}`)
  const words = `must be ${names.join(' or ')}`
  const [first, ...others] = names.map(name => TYPES[name])
  if (others.length === 0) return (value, check) => first(value) || check.fail(words)
  return (value, check) => first(value) || others.some(fits => fits(value)) || check.fail(words)
}

/** @type {Keyword} */
function constant (argument) {
  const words = `must be ${shown(argument)}`
  const size = sizeOf(argument)
  return (value, check) => {
    check.spend(size)
    return equals(visible(value, check), argument) || check.fail(words)
  }
}

/** @type {Keyword} */
function enumeration (argument, { place }) {
  if (!Array.isArray(argument)) throw invalid(place, 'must be a list')
  const words = `must be one of ${shown(argument)}`
  const simple = new Set(argument.filter(each => typeof each !== 'object' || each === null))
  const others = argument.filter(each => typeof each === 'object' && each !== null)
  const size = sizeOf(others)
  return (value, check) => {
    if (typeof value !== 'object' || value === null) return simple.has(value) || check.fail(words)
    check.spend(size)
    const seen = visible(value, check)
    return others.some(each => equals(seen, each)) || check.fail(words)
  }
}

/** The document without what schemas do not see. @param {any} value @param {import('./check').Check} check */
function visible (value, check) {
  if (value !== check.root || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !check.hides(value, name)))
}

/** @param {any} argument */
function shown (argument) {
  const text = canonical(argument)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** A keyword of numbers. @param {string} what @param {(value: number, limit: number) => boolean} fits @returns {Keyword} */
function numeric (what, fits) {
  return (argument, { place }) => {
    if (typeof argument !== 'number') throw invalid(place, 'must be a number')
    const words = `must be ${what} ${argument}`
    return (value, check) => typeof value !== 'number' || fits(value, argument) || check.fail(words)
  }
}

/** @type {Keyword} */
function multipleOf (argument, context) {
  if (typeof argument === 'number' && argument <= 0) throw invalid(context.place, 'must be above 0')
  const fits = numeric('a multiple of', isMultiple)(argument, context)
  return (value, check, seen) => {
    if (typeof value === 'number' && !(Number.isInteger(value) && Number.isInteger(argument))) check.spend(EXACT)
    return fits(value, check, seen)
  }
}

/** A limit of how many there are of something. @param {any} argument @param {string} place @returns {number} */
function count (argument, place) {
  if (!Number.isInteger(argument) || argument < 0) throw invalid(place, 'must be an integer that is not negative')
  return argument
}

/** @type {Keyword} */
function minLength (argument, { place }) {
  const least = count(argument, place)
  const words = `must have at least ${least} characters`
  return (value, check) => typeof value !== 'string' || (value.length >= least && (value.length >= 2 * least || characters(value, check) >= least)) || check.fail(words)
}

/** @type {Keyword} */
function maxLength (argument, { place }) {
  const most = count(argument, place)
  const words = `must have at most ${most} characters`
  return (value, check) => typeof value !== 'string' || value.length <= most || (value.length <= 2 * most && characters(value, check) <= most) || check.fail(words)
}

/** @param {string} text @param {import('./check').Check} check */
function characters (text, check) {
  check.spend(Math.ceil(text.length / CHARACTERS))
  let pairs = 0
  for (let i = 0; i < text.length; i++) if (/** @type {number} */ (text.codePointAt(i)) > 0xffff) pairs++
  return text.length - pairs
}

/** @type {Keyword} */
function pattern (argument, { place }) {
  const matches = expression(argument, place)
  const words = `must match ${shown(argument)}`
  return (value, check) => typeof value !== 'string' || matches(value, check) || check.fail(words)
}

/**
 * @param {any} source
 * @param {string} place
 * @returns {(text: string, check: import('./check').Check) => boolean}
 */
function expression (source, place) {
  if (typeof source !== 'string') throw invalid(place, 'must be an expression')
  const tooLarge = whyTooLarge(source)
  if (tooLarge !== null) throw invalid(place, tooLarge)
  const tested = new Expression(source, compile(source, place))
  return (text, check) => {
    check.spend((tested.needsClock(text) ? CLOCK : 1) + (text.length >> 6))
    try {
      return tested.test(text, PATIENCE)
    } catch {
      throw invalid(place, 'takes too long with this document')
    }
  }
}

/** @param {string} source @param {string} place */
function compile (source, place) {
  try {
    return new RegExp(source, 'u')
  } catch {
    throw invalid(place, 'is no expression of ECMAScript')
  }
}

/** @type {Record<string, Keyword>} */
const keywords = {
  type,
  const: constant,
  enum: enumeration,
  minimum: numeric('at least', (value, limit) => value >= limit),
  exclusiveMinimum: numeric('above', (value, limit) => value > limit),
  maximum: numeric('at most', (value, limit) => value <= limit),
  exclusiveMaximum: numeric('below', (value, limit) => value < limit),
  multipleOf,
  minLength,
  maxLength,
  pattern
}

module.exports = { count, expression, keywords }
