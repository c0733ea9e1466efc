'use strict'

const { badRequest } = require('@potoroo/errors')

/** Containers in each other. Whoever walks a value has a stack that ends. */
const DEEPEST = 10_000

/** A container that is being written. */
class Open {
  next = 0
  isEmpty = true

  /** @param {any} value */
  constructor (value) {
    this.value = value
    /** @type {string[] | null} null of an array */
    this.names = Array.isArray(value) ? null : Object.keys(value)
  }

  get length () { return this.names === null ? this.value.length : this.names.length }
}

/**
 * `JSON.stringify`, which has a stack that ends at some 4,500 containers in each other, for values that are nested
 * more deeply.
 *
 * @param {any} value no boxed primitive
 * @param {number} most levels
 * @returns {string | undefined}
 * @throws bad_request where it is nested more deeply than that
 */
function stringifyDeep (value, most) {
  const root = jsonValue(value, '')
  if (!isContainer(root)) return JSON.stringify(root)
  /** @type {string[]} */
  const pieces = [opening(root)]
  const open = [new Open(root)]
  while (open.length > 0) {
    const last = open[open.length - 1]
    if (last.next === last.length) {
      pieces.push(last.names === null ? ']' : '}')
      open.pop()
      continue
    }
    const inner = writeNext(last, pieces)
    if (inner === undefined) continue
    if (open.length >= most) throw tooDeep()
    open.push(new Open(inner))
  }
  return pieces.join('')
}

/**
 * Writes an item, or where it is a container, what comes before its items.
 *
 * @param {Open} at
 * @param {string[]} pieces
 * @returns {any} the container
 */
function writeNext (at, pieces) {
  const name = at.names === null ? String(at.next) : at.names[at.next]
  const value = jsonValue(at.value[name], name)
  at.next++
  if (value === undefined && at.names !== null) return undefined
  const separator = at.isEmpty ? '' : ','
  const head = at.names === null ? separator : `${separator}${JSON.stringify(name)}:`
  at.isEmpty = false
  pieces.push(head + (isContainer(value) ? opening(value) : JSON.stringify(value) ?? 'null'))
  return isContainer(value) ? value : undefined
}

/**
 * The value as JSON.stringify takes it: a function is none.
 *
 * @param {any} value
 * @param {string} name
 */
function jsonValue (value, name) {
  const own = typeof value?.toJSON === 'function' ? value.toJSON(name) : value
  return typeof own === 'function' || typeof own === 'symbol' ? undefined : own
}

/** @param {unknown} value */
function isContainer (value) { return typeof value === 'object' && value !== null }

/** @param {unknown} value */
function opening (value) { return Array.isArray(value) ? '[' : '{' }

/**
 * `JSON.stringify` for values of any depth that is stored.
 *
 * @param {any} value
 * @param {number} [most] levels
 * @returns {string}
 * @throws bad_request where it is nested too deeply; TypeError as JSON.stringify
 */
function stringifyAnyDepth (value, most = DEEPEST) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return /** @type {string} */ (stringifyDeep(value, most))
  }
}

function tooDeep () { return badRequest('JSON is nested too deeply') }

module.exports = { DEEPEST, stringifyAnyDepth, tooDeep }
