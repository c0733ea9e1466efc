'use strict'

// Operations as pool.write() takes them: flat, map, 'put' | 'del', key, value (undefined for 'del').

const { valueOf } = require('./map-operations')
const { OrderedMap } = require('./ordered-map')

/**
 * As the addon takes them: map, key, value or undefined.
 *
 * @param {unknown[]} operations
 * @param {unknown} pool handle
 */
function triplesOf (operations, pool) {
  check(operations)
  const flat = new Array(operations.length / 4 * 3)
  for (let i = 0, to = 0; i < operations.length; i += 4) {
    flat[to++] = OrderedMap.numberOf(operations[i], pool)
    flat[to++] = operations[i + 2]
    flat[to++] = valueOf(operations[i + 1], operations[i + 3])
  }
  return flat
}

/**
 * Makes them a part of the transaction under way, up to the first that is none.
 *
 * @param {unknown[]} operations
 * @param {unknown} pool handle
 */
function join (operations, pool) {
  check(operations)
  for (let i = 0; i < operations.length; i += 4) {
    const map = /** @type {OrderedMap} */ (operations[i])
    OrderedMap.numberOf(map, pool)
    OrderedMap.join(map, [operations[i + 2], valueOf(operations[i + 1], operations[i + 3])])
  }
}

/** @param {unknown} operations */
function check (operations) {
  if (Array.isArray(operations) && operations.length % 4 === 0) return
  throw new TypeError('The operations must be an array of four elements each')
}

module.exports = { join, triplesOf }
