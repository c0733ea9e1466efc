'use strict'

/**
 * Partial sums of a view's rows, so that a reduction of any range reads few records. They are nodes
 * on levels from 1 up. On each level the view's rows are cut into segments, one behind the other, and
 * a node stands for one segment: it is named by the segment's first row, and the first one of all by
 * nothing. Segments begin at places that do not depend on history: at rows whose hash ends in 6 zero bits on
 * level 1 (one row in 64), in 12 on level 2, and so on. So each segment is one or some of the level
 * below.
 *
 * A node is known, which means that it says how many rows there are and what some reducers make of
 * them, or it is not known, and then none of those above it is: a change of a row forgets the nodes
 * above it. Queries work out what they need.
 *
 * @typedef {{ count: number, values: Record<string, any> }} Sum values by reducer
 */
const BITS = 6
const LEVELS = 5

/** Reducers whose values a node keeps: a function that is edited comes under another name each time. */
const KEPT = 4

/**
 * The level up to which a row begins a segment; 0 where it begins none.
 *
 * @param {string} row its key without the view
 * @param {number} salt the view's: nobody can choose rows that begin no segments
 */
function levelOf (row, salt) {
  let hash = salt
  for (let i = 0; i < row.length; i++) hash = Math.imul(hash ^ row.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  hash ^= hash >>> 16
  const zeros = hash === 0 ? 32 : 31 - Math.clz32(hash & -hash)
  return Math.min(Math.floor(zeros / BITS), LEVELS)
}

/** @returns {Sum | undefined} undefined: not known @param {string} text */
function parseSum (text) {
  if (text === '') return undefined
  const [count, values] = JSON.parse(text)
  return { count, values }
}

/**
 * Returns a sum with one more value, the oldest gone if need be.
 * @param {Sum} sum
 * @param {string} name
 * @param {any} value
 * @returns {Sum}
 */
function withValue ({ count, values }, name, value) {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return { count, values: Object.fromEntries([...others.slice(1 - KEPT), [name, value]]) }
}

/** @param {Sum} sum */
function sumText ({ count, values }) { return JSON.stringify([count, values]) }

module.exports = { LEVELS, levelOf, parseSum, withValue, sumText }
