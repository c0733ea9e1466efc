'use strict'

const { mangoError } = require('./mango-error')

/**
 * The way to a field: names of members, or positions in arrays.
 * @typedef {string[]} Path
 */

/** A name that reads a position of an array: any integer that Erlang reads. */
const POSITION = /^[+-]?\d+$/

/** Whether a name reads a position of an array, too. @param {string} name */
function isPosition (name) { return POSITION.test(name) }

/**
 * `a.b\.c` → `['a', 'b.c']`; a backslash goes wherever it stands. '' is the value itself.
 *
 * @param {string} field
 * @returns {Path}
 * @throws invalid_field_name
 */
function parsePath (field) {
  if (field === '') return []
  const names = field.includes('\\') ? field.split(/(?<!\\)\./) : field.split('.')
  if (names.includes('')) throw mangoError('invalid_field_name', `Invalid field name: ${field}`)
  return names.map(name => name.replaceAll('\\', ''))
}

/** As `parsePath` reads it, and as CouchDB prints it. @param {Path} path */
function escapePath (path) {
  return path.map(name => name.replaceAll('.', '\\.').replace(/^\$/, '\\$')).join('.')
}

/** @param {Path} a @param {Path} b */
function samePath (a, b) {
  return a.length === b.length && a.every((name, i) => name === b[i])
}

/**
 * @param {any} value a document, or any value
 * @param {Path} path
 * @returns {any} undefined where there is nothing
 */
function readPath (value, path) {
  for (let i = 0; i < path.length; i++) {
    value = readMember(value, path[i])
    if (value === undefined) return undefined
  }
  return value
}

/** @param {any} value @param {string} name @returns {any} */
function readMember (value, name) {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return Object.hasOwn(value, name) ? value[name] : undefined
  return isPosition(name) ? value[Number(name)] : undefined
}

/**
 * Whether an object on the way has no such member. A way that ends at something else (`a.b` where `a`
 * is a number) is none, and its end is not absent.
 *
 * @param {any} value
 * @param {Path} path
 */
function isAbsent (value, path) {
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false
    const member = readMember(value, name)
    if (member === undefined) return !Array.isArray(value)
    value = member
  }
  return false
}

/**
 * Sets a field of an object that is made here, with the objects on the way to it.
 *
 * @param {any} object
 * @param {Path} path
 * @param {any} value
 */
function writePath (object, path, value) {
  let at = object
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(at, name) || typeof at[name] !== 'object' || at[name] === null) define(at, name, {})
    at = at[name]
  }
  define(at, /** @type {string} */ (path.at(-1)), value)
}

/**
 * Not by assignment, which `__proto__` would be lost in.
 *
 * @param {Record<string, any>} object
 * @param {string} name
 * @param {any} value
 */
function define (object, name, value) {
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}

module.exports = { isPosition, parsePath, escapePath, samePath, readPath, isAbsent, writePath }
