'use strict'

const { isDate, isMember } = require('./key-encoding')

/**
 * @typedef {{ null: number, false: number, true: number, number: number, string: number, array: number, object: number }} Ranks
 *   of the types, all different
 */

/**
 * An order of JSON values: by type; arrays element by element, objects member by member as they stand,
 * the name before the value; the shorter one is first. Values that JSON has not count as in key-encoding.js.
 */
class JsonOrder {
  #ranks
  #compareStrings

  /** @param {Ranks} ranks @param {(a: string, b: string) => number} compareStrings */
  constructor (ranks, compareStrings) {
    this.#ranks = ranks
    this.#compareStrings = compareStrings
  }

  /** @param {any} a @param {any} b @returns {number} negative, 0 or positive */
  compare (a, b) {
    if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : this.#compareStrings(a, b)
    const type = typeOf(a)
    const other = typeOf(b)
    if (type !== other) return this.#ranks[type] - this.#ranks[other]
    switch (type) {
      case 'number': return a - b
      case 'string': return this.compare(asString(a), asString(b))
      case 'array': return this.#compareArrays(a, b)
      case 'object': return this.#compareObjects(a, b)
      default: return 0
    }
  }

  /** @param {any[]} a @param {any[]} b */
  #compareArrays (a, b) {
    const length = Math.min(a.length, b.length)
    for (let i = 0; i < length; i++) {
      const order = this.compare(a[i], b[i])
      if (order !== 0) return order
    }
    return a.length - b.length
  }

  /** @param {Record<string, any>} a @param {Record<string, any>} b */
  #compareObjects (a, b) {
    const names = namesOf(a)
    const others = namesOf(b)
    const length = Math.min(names.length, others.length)
    for (let i = 0; i < length; i++) {
      const order = this.compare(names[i], others[i]) || this.compare(a[names[i]], b[others[i]])
      if (order !== 0) return order
    }
    return names.length - others.length
  }
}

/** @param {unknown} value @returns {keyof Ranks} */
function typeOf (value) {
  switch (typeof value) {
    case 'string': return 'string'
    case 'number': return Number.isFinite(value) ? 'number' : 'null'
    case 'boolean': return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'array'
      return isDate(value) ? 'string' : 'object'
    default: return 'null'
  }
}

/** @param {any} value */
function asString (value) { return typeof value === 'string' ? value : value.toJSON() }

/** @param {Record<string, any>} object */
function namesOf (object) { return Object.keys(object).filter(name => isMember(object[name])) }

module.exports = { JsonOrder }
