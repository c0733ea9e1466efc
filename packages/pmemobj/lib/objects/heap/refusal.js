'use strict'

const { types } = require('node:util')
const { moreThanProperties } = require('./classes')

/** The prototype that all iterators of JavaScript's own inherit from, under a constructor. */
const ITERATOR = Object.assign(function Iterator () {}, { prototype: Object.getPrototypeOf(Object.getPrototypeOf([].values())) })

/** Values that can be kept in the place of others that cannot. @type {[is: (value: any) => boolean, instead: string][]} */
const INSTEAD = [
  [value => typeof value === 'symbol', 'its description, a string'],
  [value => typeof value === 'function', 'what it works on, or make it a method of a class that is registered'],
  [types.isRegExp, 'its source and its flags'],
  [types.isNativeError, 'its name, message and stack'],
  [types.isBoxedPrimitive, 'the primitive value'],
  [types.isPromise, 'what it gives, once that was awaited'],
  [types.isWeakMap, 'a Map'],
  [types.isWeakSet, 'a Set'],
  [value => value instanceof WeakRef, 'the object itself'],
  [types.isSharedArrayBuffer, 'an ArrayBuffer'],
  [value => types.isGeneratorObject(value) || value instanceof ITERATOR, 'an array of what it gives'],
  [value => value instanceof URL, 'its href']
]

/**
 * An error for a value that a pool cannot keep, with what can be done instead.
 *
 * @param {any} value
 * @param {string} name of the property; '' where there is none
 */
function refused (value, name) {
  const where = name === '' ? '' : `, as .${String(name)}`
  return new TypeError(`${describe(value)} cannot be kept in a pool${where}${advise(value)}`)
}

/** @param {any} value */
function describe (value) {
  if (typeof value === 'symbol') return 'A symbol'
  if (typeof value === 'function') return 'A function'
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return `An instance of ${typeof name === 'string' && name !== '' ? name : 'a class without name'}`
}

/** @param {any} value */
function advise (value) {
  const instead = INSTEAD.find(([is]) => is(value))?.[1]
  if (instead !== undefined) return `: keep ${instead}`
  return moreThanProperties(Object.getPrototypeOf(value)) === undefined ? ': its class is not registered, see pool.register()' : ''
}

module.exports = { refused }
