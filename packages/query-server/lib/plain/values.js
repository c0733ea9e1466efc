'use strict'

/**
 * Operators and members, as plain functions use them. If an engine would throw, call a method or look at a prototype, the
 * answer is a doubt, and the sandbox does the work.
 */

/** It is thrown often, and nobody reads its stack. */
const DOUBT = new Error('Only the sandbox knows')

/** @returns {never} */
function doubt () { throw DOUBT }

/**
 * Tells whether every object has a member, without one of its own.
 * @param {string} name
 */
function isInherited (name) { return name in Object.prototype }

/**
 * Reads a member whose name no object inherits.
 *
 * @param {any} value
 * @param {string} name
 */
function member (value, name) {
  if (isObject(value) && !Array.isArray(value)) return value[name]
  return name === 'length' && (typeof value === 'string' || Array.isArray(value)) ? value.length : doubt()
}

/**
 * Reads a member by a name that is computed.
 *
 * @param {any} value
 * @param {unknown} name
 */
function element (value, name) {
  if (typeof name !== 'string' && typeof name !== 'number') return doubt()
  if (Array.isArray(value)) return Object.hasOwn(value, name) ? value[/** @type {number} */ (name)] : Number.isInteger(name) ? undefined : doubt()
  return isInherited(`${name}`) ? doubt() : member(value, `${name}`)
}

/**
 * Objects would be asked for what they are as text or number.
 * @param {any} value
 */
function primitive (value) { return isObject(value) ? doubt() : value }

/** UTF-16 units that text may grow to. */
const LONGEST = 2 ** 20

/** @param {any} a @param {any} b */
function sum (a, b) {
  const all = primitive(a) + primitive(b)
  return typeof all === 'string' && all.length > LONGEST ? doubt() : all
}

/**
 * Compares by `==`: an object and a primitive are compared as text; two objects, or an object and nothing, as they are.
 * @param {any} a
 * @param {any} b
 */
function alike (a, b) {
  return isObject(a) !== isObject(b) && !isNothing(a) && !isNothing(b) ? doubt() : a == b // eslint-disable-line eqeqeq
}

/** @param {any} value */
function isObject (value) { return typeof value === 'object' && value !== null }

/** @param {any} value */
function isNothing (value) { return value === null || value === undefined }

/** @type {Record<string, (a: any, b: any) => any>} */
const BINARY = {
  '===': (a, b) => a === b,
  '!==': (a, b) => a !== b,
  '==': alike,
  '!=': (a, b) => !alike(a, b),
  '<': (a, b) => primitive(a) < primitive(b),
  '<=': (a, b) => primitive(a) <= primitive(b),
  '>': (a, b) => primitive(a) > primitive(b),
  '>=': (a, b) => primitive(a) >= primitive(b),
  '+': sum,
  '-': (a, b) => primitive(a) - primitive(b),
  '*': (a, b) => primitive(a) * primitive(b),
  '/': (a, b) => primitive(a) / primitive(b),
  '%': (a, b) => primitive(a) % primitive(b),
  '&': (a, b) => primitive(a) & primitive(b),
  '|': (a, b) => primitive(a) | primitive(b),
  '^': (a, b) => primitive(a) ^ primitive(b)
}

/** @type {Record<string, (value: any) => any>} */
const UNARY = {
  '!': value => !value,
  '-': value => -primitive(value),
  '+': value => +primitive(value),
  typeof: value => typeof value,
  void: () => undefined
}

/**
 * Returns a value as it is once it was JSON, in which all numbers are finite and no zero has a sign. Nothing stays
 * `undefined`: an object then has no such member, and a list null.
 * @param {any} value of a document
 */
function norm (value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  return isObject(value) && isChanged(value) ? JSON.parse(JSON.stringify(value)) : value
}

/**
 * Tells whether a value is another one once it was JSON.
 * @param {any} value
 * @returns {boolean}
 */
function isChanged (value) {
  if (typeof value === 'number') return !Number.isFinite(value) || Object.is(value, -0)
  if (!isObject(value)) return false
  if (Array.isArray(value)) return value.some(isChanged)
  for (const name in value) if (isChanged(value[name])) return true
  return false
}

/** Members of errors. The sandbox shows in its own way what has them all. */
const OF_ERRORS = ['stack', 'name', 'message']

/**
 * Lets values through that do not look like errors.
 * @param {any} value
 */
function emitted (value) {
  return isObject(value) && OF_ERRORS.every(name => name in value) ? doubt() : value
}

module.exports = { BINARY, DOUBT, OF_ERRORS, UNARY, doubt, element, emitted, isInherited, isNothing, member, norm, sum }
