'use strict'

// Describes a graph of values, in words that are the same for plain and for persistent objects.

const { isBoxedPrimitive } = require('node:util').types

const BYTES_PER_LINE = 2 ** 20
const views = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'DataView']

/** @returns {string} */
function kindOf (object) {
  if (Array.isArray(object)) return 'Array'
  if (object instanceof Map) return 'Map'
  if (object instanceof Set) return 'Set'
  if (object instanceof Date) return 'Date'
  if (Buffer.isBuffer(object)) return 'Buffer'
  if (ArrayBuffer.isView(object)) return views.find(name => object instanceof globalThis[name])
  if (object instanceof ArrayBuffer) return 'ArrayBuffer'
  if (object instanceof RegExp) return 'RegExp'
  if (object instanceof Error) return 'Error'
  if (isBoxedPrimitive(object)) return 'Boxed'
  return 'Object'
}

const isObject = value => typeof value === 'object' && value !== null
const isView = kind => kind === 'Buffer' || views.includes(kind)

/** The values that an object holds, in order. */
function * valuesIn (object) {
  const kind = kindOf(object)
  if (kind === 'Map') {
    for (const entry of object) yield * entry
  } else if (kind === 'Set') {
    yield * object
  } else if (kind === 'Error') {
    yield object.message
  } else if (isView(kind)) {
    yield object.buffer
  } else if (kind === 'Array' || kind === 'Object') {
    for (const key of Object.keys(object)) yield object[key]
  }
}

/**
 * All objects that the roots lead to, breadth first.
 *
 * @param {unknown[]} roots
 * @returns {Map<object, number>} their numbers from 0
 */
function walk (roots) {
  const numbers = new Map()
  const meet = value => {
    if (isObject(value) && !numbers.has(value)) numbers.set(value, numbers.size)
  }
  roots.forEach(meet)
  // A Map goes on to what is added meanwhile.
  for (const object of numbers.keys()) {
    for (const value of valuesIn(object)) meet(value)
  }
  return numbers
}

/**
 * @param {unknown[]} roots
 * @param {{ number: number, from: number, to: number }} [unknown] bytes of a buffer that count as any
 * @returns {string} the same for the same graph: types, values, the order of keys, holes, and which
 *   references are to one object
 */
function describe (roots, unknown) {
  const numbers = walk(roots)
  const word = value => wordOf(value, numbers)
  const lines = [roots.map(word).join(' ')]
  for (const [object, number] of numbers) {
    lines.push(`#${number} ${describeObject(object, word, number === unknown?.number ? unknown : undefined)}`)
  }
  return lines.join('\n')
}

function wordOf (value, numbers) {
  if (isObject(value)) return `#${numbers.get(value)}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  return Object.is(value, -0) ? '-0' : String(value)
}

function describeObject (object, word, unknown) {
  const kind = kindOf(object)
  if (kind === 'Map') return `Map ${Array.from(object, ([key, value]) => `${word(key)}=>${word(value)}`).join(' ')}`
  if (kind === 'Set') return `Set ${Array.from(object, word).join(' ')}`
  if (kind === 'Date') return `Date ${object.getTime()}`
  if (kind === 'ArrayBuffer') return `ArrayBuffer ${hex(object, unknown)}`
  if (isView(kind)) return `${kind} ${word(object.buffer)} ${object.byteOffset} ${object.byteLength}`
  if (kind === 'RegExp') return `RegExp ${object}`
  if (kind === 'Boxed') return `Boxed ${word(object.valueOf())}`
  if (kind === 'Error') return `${object} ${object.code} ${Object.keys(object)}`
  const entries = Object.keys(object).map(key => `${JSON.stringify(key)}:${word(object[key])}`).join(' ')
  if (kind === 'Array') return `Array(${object.length}) ${entries}`
  const prototype = Object.getPrototypeOf(object)
  return `${prototype === null ? 'null' : prototype.constructor.name} ${entries}`
}

function hex (buffer, unknown) {
  const text = Buffer.from(buffer).toString('hex', 0, BYTES_PER_LINE)
  if (unknown === undefined) return text
  return text.slice(0, 2 * unknown.from) + '?'.repeat(2 * (unknown.to - unknown.from)) + text.slice(2 * unknown.to)
}

/** A copy of plain values, with their cycles and what is shared. */
function copy (value, known = new Map()) {
  if (!isObject(value)) return value
  if (known.has(value)) return known.get(value)
  const again = inner => copy(inner, known)
  const made = copyBare(value, again)
  known.set(value, made)
  const kind = kindOf(value)
  if (kind === 'Map') value.forEach((inner, key) => made.set(again(key), again(inner)))
  if (kind === 'Set') value.forEach(inner => made.add(again(inner)))
  if (kind === 'Array') made.length = value.length
  if (kind === 'Array' || kind === 'Object') {
    for (const key of Object.keys(value)) made[key] = again(value[key])
  }
  return made
}

/** Copies a value without what is in it, except for bytes. */
function copyBare (value, again) {
  const kind = kindOf(value)
  if (kind === 'ArrayBuffer') return value.slice()
  if (kind === 'Buffer') return Buffer.from(again(value.buffer), value.byteOffset, value.byteLength)
  if (isView(kind)) return new value.constructor(again(value.buffer), value.byteOffset, value.length ?? value.byteLength)
  if (kind === 'Date') return new Date(value)
  if (kind === 'RegExp') return new RegExp(value)
  if (kind === 'Boxed') return Object(value.valueOf())
  if (kind === 'Error') return Object.assign(new value.constructor(value.message), { code: value.code, stack: value.stack })
  return kind === 'Object' ? Object.create(Object.getPrototypeOf(value)) : new value.constructor()
}

module.exports = { copy, describe, isObject, kindOf, valuesIn, walk }
