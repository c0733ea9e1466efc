'use strict'

const { types } = require('node:util')
const { isForeign, moreThanProperties } = require('./classes')

/** The prototype that all iterators of JavaScript's own inherit from, under a constructor. */
const ITERATOR = Object.assign(function Iterator () {}, { prototype: Object.getPrototypeOf(Object.getPrototypeOf([].values())) })

/** Values that can be kept in the place of others that cannot. @type {[is: (value: any) => boolean, instead: string][]} */
const INSTEAD = [
  [value => typeof value === 'symbol' || types.isSymbolObject(value), 'its description, a string, or a symbol of Symbol.for()'],
  [value => typeof value === 'function', 'what it works on, or make it a method of a class that is registered'],
  [types.isPromise, 'what it gives, once that was awaited'],
  [types.isWeakMap, 'a Map'],
  [types.isWeakSet, 'a Set'],
  [value => value instanceof WeakRef, 'the object itself'],
  [types.isSharedArrayBuffer, 'an ArrayBuffer'],
  [value => types.isGeneratorObject(value) || value instanceof ITERATOR, 'an array of what it gives'],
  [value => value instanceof URL, 'its href'],
  [value => value instanceof DOMException, 'its name, message and stack']
]

/**
 * An error for a value that a pool cannot keep, with what can be done instead.
 *
 * @param {any} value
 * @param {string | symbol} name of the property; '' where there is none
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
  const prototype = Object.getPrototypeOf(value)
  const isOfNobody = moreThanProperties(prototype) !== undefined || (typeof prototype?.constructor === 'function' && isForeign(prototype.constructor))
  return isOfNobody ? ': keep the values that it was made of' : ': its class is not registered, see pool.register()'
}

/**
 * An error for an instance of a class that extends one of JavaScript's own.
 *
 * @param {string} name of that one
 */
function refusedHeir (name) {
  return new TypeError(`A pool cannot keep an instance of a class that extends ${name}: keep ${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}, in a property of a class that is registered`)
}

module.exports = { refused, refusedHeir }
