'use strict'

/**
 * Erlang's order of JSON values, which is not the collation of views: numbers, then false, null
 * and true, then objects, arrays and strings. CouchDB sorts by it what one document emits more
 * than once under the same key.
 *
 * @param {any} a
 * @param {any} b
 * @returns {number} negative, 0 or positive
 * @see https://www.erlang.org/doc/system/expressions.html#term-comparisons
 */
function compareTerms (a, b) {
  const [rank, other] = [rankOf(a), rankOf(b)]
  if (rank !== other) return rank - other
  if (rank === NUMBER) return a - b
  if (rank === STRING) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (rank === ARRAY) return compareLists(a, b)
  return rank === OBJECT ? compareLists(Object.entries(a), Object.entries(b)) : 0
}

const NUMBER = 0
const OBJECT = 4
const ARRAY = 5
const STRING = 6

function rankOf (value) {
  if (typeof value === 'number') return NUMBER
  if (value === false) return 1
  if (value === null || value === undefined) return 2
  if (value === true) return 3
  if (typeof value === 'string') return STRING
  return Array.isArray(value) ? ARRAY : OBJECT
}

/** Element by element; the one that ends first comes first. */
function compareLists (a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareTerms(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}

module.exports = { compareTerms }
