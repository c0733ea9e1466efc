'use strict'

/** @param {any} value */
function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

/** Whether two values of JSON are equal, whatever the order of members. @param {any} a @param {any} b @returns {boolean} */
function equals (a, b) {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a)) return a.length === b.length && a.every((each, i) => equals(each, b[i]))
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && equals(a[name], b[name]))
}

/** How many values are in a value. @param {any} value @returns {number} */
function sizeOf (value) {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum, each) => sum + sizeOf(each), 1)
}

/**
 * JSON in which equal values are equal texts.
 *
 * @param {any} value
 * @param {(size: number) => void} [spend] is told how many values, and 64 characters, there are
 * @returns {string}
 */
function canonical (value, spend = () => {}) {
  if (typeof value !== 'object' || value === null) {
    spend(typeof value === 'string' ? 1 + (value.length >> 6) : 1)
    return JSON.stringify(value)
  }
  spend(1)
  if (Array.isArray(value)) return `[${value.map(each => canonical(each, spend)).join(',')}]`
  return `{${Object.keys(value).sort().map(name => `${JSON.stringify(name)}:${canonical(value[name], spend)}`).join(',')}}`
}

module.exports = { canonical, equals, isObject, sizeOf }
