'use strict'

// Operations as map.batch() takes them: flat, 'put' | 'del', key, value (undefined for 'del').

// Operations that go as arguments; more go as an array, which costs more for each.
const MOST_FEW = 4000

/** Whether they go as arguments. @param {unknown} operations */
function isFew (operations) {
  if (Array.isArray(operations) && operations.length % 3 === 0) return operations.length <= MOST_FEW * 3
  throw new TypeError('The operations must be an array of three elements each')
}

/** Key, and value or undefined, of each. @param {unknown[]} operations */
function pairsOf (operations) {
  const flat = new Array(operations.length / 3 * 2)
  for (let i = 0, to = 0; i < operations.length; i += 3) {
    flat[to++] = operations[i + 1]
    flat[to++] = valueOf(operations[i], operations[i + 2])
  }
  return flat
}

/** The same with the number of the map before each. @param {unknown[]} operations @param {number} map */
function triplesOf (operations, map) {
  const flat = new Array(operations.length)
  for (let i = 0; i < operations.length; i += 3) {
    flat[i] = map
    flat[i + 1] = operations[i + 1]
    flat[i + 2] = valueOf(operations[i], operations[i + 2])
  }
  return flat
}

/** The value of an operation as the addon takes it: undefined deletes. @param {unknown} type @param {unknown} value */
function valueOf (type, value) {
  if (type === 'del') return undefined
  if (type !== 'put') throw new TypeError("The type of an operation must be 'put' or 'del'")
  return checkValue(value)
}

/**
 * Refuses undefined, which would delete.
 *
 * @param {unknown} value
 */
function checkValue (value) {
  if (value === undefined) throw new TypeError('The value must be a string or a Uint8Array')
  return value
}

/** How the addon counts it. @type {Record<string, number>} */
const ROOMS = { half: 1, all: 2 }

/** @param {string} kept */
function roomOf (kept) {
  if (Object.hasOwn(ROOMS, kept)) return ROOMS[kept]
  throw new TypeError("The option 'kept' must be 'half' or 'all'")
}

module.exports = { checkValue, isFew, pairsOf, roomOf, triplesOf, valueOf }
