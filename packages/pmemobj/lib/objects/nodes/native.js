'use strict'

const { types } = require('node:util')
const { refusedHeir } = require('../heap/refusal')
const { INSPECTION } = require('./shell')
const { nodeOf } = require('./node')

// Dates, Maps, Sets and views are objects that JavaScript itself knows, and no Proxies: what V8 keeps
// of them cannot be reached through one. They have a prototype between themselves and the usual one.

/**
 * A method, as it works on the node of the object that it is called on.
 *
 * @template {import('./node').Node} N
 * @typedef {(node: N, args: any[], object: any) => unknown} Method
 */

/**
 * @template {import('./node').Node} N
 * @typedef {Record<string | symbol, Method<N>>} Methods
 */

/**
 * A prototype whose methods work on the node of what they are called on, and are the usual ones for
 * what is no persistent object. Usual methods that have no counterpart throw: they would work on
 * what V8 keeps of the object.
 *
 * @template {import('./node').Node} N
 * @param {object} usual
 * @param {Methods<N>} methods
 * @returns {object}
 */
function prototypeOver (usual, methods) {
  const prototype = Object.create(usual, INSPECTION)
  /** Ours, by the usual ones: some have several names. @type {Map<Function, Function>} */
  const made = new Map()
  for (const name of Reflect.ownKeys(usual)) {
    const { value, get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(usual, name))
    const work = methods[name] ?? refuse(usual, name)
    if (get !== undefined) Object.defineProperty(prototype, name, { get: over(get, name, work), configurable: true })
    if (typeof value !== 'function' || name === 'constructor' || name === Symbol.toPrimitive) continue
    if (!made.has(value)) made.set(value, over(value, name, work))
    Object.defineProperty(prototype, name, { value: made.get(value), writable: true, configurable: true })
  }
  return prototype
}

/**
 * @template {import('./node').Node} N
 * @param {Function} usual
 * @param {string | symbol} name
 * @param {Method<N>} work
 */
function over (usual, name, work) {
  return {
    /** @param {unknown[]} args */
    [name] (...args) {
      const node = /** @type {N | undefined} */ (nodeOf(this))
      return node === undefined ? usual.apply(this, args) : work(node, args, this)
    }
  }[/** @type {string} */ (name)]
}

/** @param {{ constructor: Function }} usual @param {string | symbol} name */
function refuse ({ constructor }, name) {
  return () => {
    throw new TypeError(`${constructor.name}.prototype.${String(name)}() is not known for what is in a pool: use pool.plain()`)
  }
}

/**
 * Returns what V8 has of a Map or Set whose entries are elsewhere. It keeps `structuredClone` and messages to
 * other threads, which see nothing else, from making empty ones.
 *
 * @param {string} name
 */
function standIn (name) {
  return Symbol(`What is in a ${name} of a pool, which pool.plain() copies,`)
}

/**
 * Refuses what would come back as less than it is.
 *
 * @param {object} value of one of JavaScript's own classes
 * @param {object} usual the prototype of that class
 * @param {object} [own] the prototype of persistent ones
 */
function refuseOdd (value, usual, own = usual) {
  const prototype = Object.getPrototypeOf(value)
  const { name } = usual.constructor
  if (prototype !== usual && prototype !== own) throw refusedHeir(name)
  const length = types.isStringObject(value) ? value.length : 0
  if (Object.keys(value).length > length) {
    throw new TypeError(`A pool cannot keep a ${name} that has properties: keep an object with both`)
  }
}

/**
 * Returns JavaScript's own getter, which no property of an object hides.
 *
 * @param {object} prototype
 * @param {string | symbol} name
 * @returns {(value: object) => any}
 */
function getterOf (prototype, name) {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get ?? (() => undefined)
  return value => get.call(value)
}

module.exports = { getterOf, prototypeOver, refuseOdd, standIn }
