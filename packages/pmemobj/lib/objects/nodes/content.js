'use strict'

// The content of plain objects: it is read, and compared later.

/**
 * The names of the properties that are kept.
 *
 * @param {object} value a plain one
 * @returns {(string | symbol)[]}
 */
function namesOf (value) {
  const symbols = Object.getOwnPropertySymbols(value)
  if (symbols.length === 0) return Object.keys(value)
  return [...Object.keys(value), ...symbols.filter(symbol => Object.prototype.propertyIsEnumerable.call(value, symbol))]
}

/** @param {unknown[]} one @param {unknown[]} other */
function isAlike (one, other) {
  return one.length === other.length && one.every((each, i) => Object.is(each, other[i]))
}

module.exports = { isAlike, namesOf }
