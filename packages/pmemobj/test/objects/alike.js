'use strict'

const assert = require('node:assert')

const NATIVE = [Date, Map, Set, ArrayBuffer].map(constructor => constructor.prototype)

/**
 * Demands that two values are alike in all that a program can tell: types, prototypes, own keys and their order,
 * attributes, holes, -0 and NaN, contents of dates, maps, sets and bytes, and which references lead to the same
 * object.
 *
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [what] the beginning of the message
 */
function assertAlike (actual, expected, what = 'the value') {
  new Comparison(what).values(actual, expected)
}

class Comparison {
  #what
  #path = []
  /** Objects that were met, by those that they ought to be; and the other way round. */
  #actuals = new Map()
  #expecteds = new Map()

  constructor (what) {
    this.#what = what
  }

  values (actual, expected) {
    if (!isObject(expected)) return this.#same(actual, expected, 'value')
    this.#demand(isObject(actual), `${typeof actual} instead of an object`)
    if (this.#actuals.has(expected) || this.#expecteds.has(actual)) {
      this.#demand(this.#actuals.get(expected) === actual, 'another object')
      this.#demand(this.#expecteds.get(actual) === expected, 'an object that is elsewhere, too')
      return
    }
    this.#actuals.set(expected, actual)
    this.#expecteds.set(actual, expected)
    this.#kinds(actual, expected)
    this.#contents(actual, expected)
    this.#properties(actual, expected)
  }

  #kinds (actual, expected) {
    this.#same(Array.isArray(actual), Array.isArray(expected), 'Array.isArray')
    this.#same(Object.prototype.toString.call(actual), Object.prototype.toString.call(expected), 'tag')
    const prototype = Object.getPrototypeOf(expected)
    // Objects of a pool have a prototype of their own before it.
    if (NATIVE.includes(prototype)) return this.#same(actual instanceof prototype.constructor, true, 'instanceof')
    this.#demand(Object.getPrototypeOf(actual) === prototype, 'another prototype')
  }

  #contents (actual, expected) {
    if (expected instanceof Date) this.#same(actual.getTime(), expected.getTime(), 'time')
    if (expected instanceof Map || expected instanceof Set) {
      this.#same(actual.size, expected.size, 'size')
      this.#list('keys', actual, expected)
      if (expected instanceof Map) this.#list('values', actual, expected)
    }
    const bytes = bytesOf(expected)
    if (bytes !== undefined) this.#demand(bytes.equals(bytesOf(actual)), 'other bytes')
  }

  /** The keys, or the values, of a map or set, in their order. */
  #list (method, actual, expected) {
    const list = [...actual[method]()]
    for (const [index, value] of [...expected[method]()].entries()) {
      this.#inside(`${method} ${index}`, () => this.values(list[index], value))
    }
  }

  #properties (actual, expected) {
    if (ArrayBuffer.isView(expected)) return
    const keys = Reflect.ownKeys(expected)
    this.#keys(Reflect.ownKeys(actual), keys)
    for (const key of keys) {
      this.#inside(key, () => {
        const mine = Reflect.getOwnPropertyDescriptor(actual, key)
        const theirs = Reflect.getOwnPropertyDescriptor(expected, key)
        for (const attribute of ['writable', 'enumerable', 'configurable']) this.#same(mine[attribute], theirs[attribute], attribute)
        this.values(mine.value, theirs.value)
      })
    }
  }

  #keys (actual, expected) {
    const different = expected.findIndex((key, index) => key !== actual[index])
    this.#same(different === -1 ? undefined : actual[different], expected[different], `key ${different}`)
    this.#same(actual.length, expected.length, 'number of keys')
  }

  #inside (key, compare) {
    this.#path.push(key)
    compare()
    this.#path.pop()
  }

  #same (actual, expected, what) {
    if (!Object.is(actual, expected)) this.#demand(false, `${what} ${show(actual)} instead of ${show(expected)}`)
  }

  #demand (condition, problem) {
    if (!condition) assert.fail(`${this.#what}${this.#path.map(key => ` › ${String(key).slice(0, 50)}`).join('')}: ${problem}`)
  }
}

function isObject (value) {
  return typeof value === 'object' && value !== null
}

function bytesOf (value) {
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function show (value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  if (Object.is(value, -0)) return '-0'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

module.exports = { assertAlike }
