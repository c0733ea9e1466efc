'use strict'

const { after } = require('@potoroo/collation')
const { LONGEST } = require('./row')

/**
 * Which of a view's rows a reader wants: their encoded keys are from `low` on and below `high`.
 *
 * @typedef {object} KeyRange
 * @property {string} [low] all from the first on, where it is undefined
 * @property {string} [high] up to the last
 * @property {boolean} descending
 * @property {(key: any) => boolean} [accepts] decides where the keys in the level say too little
 */

/**
 * One end of a range: a key and, within its rows, a document. `open` leaves out what equals it.
 * @typedef {{ key: any, id?: string, open?: boolean }} Edge
 */

/**
 * @param {import('@potoroo/collation').Collation} collation
 * @param {{ from?: Edge, to?: Edge, descending?: boolean }} edges in the order of the rows, not of reading
 * @returns {KeyRange}
 */
function makeRange (collation, { from, to, descending = false }) {
  const low = from && collation.encode(from.key)
  const high = to && (from?.key === to.key ? low : collation.encode(to.key))
  /** @type {KeyRange} */
  const range = { descending, low: low && lowest(low, from), high: high && highest(high, to) }
  const isCut = (/** @type {string | undefined} */ text) => text !== undefined && text.length > LONGEST
  if (isCut(low) || isCut(high)) range.accepts = key => isBetween(collation.encode(key), low, high, from, to)
  return range
}

/** @param {string} text @param {Edge} edge */
function lowest (text, { id, open = false }) {
  if (text.length > LONGEST) return text.slice(0, LONGEST)
  if (id !== undefined) return text + id + (open ? '\x01' : '')
  return open ? after(text) : text
}

/** @param {string} text @param {Edge} edge */
function highest (text, { id, open = false }) {
  if (text.length > LONGEST) return after(text.slice(0, LONGEST))
  if (id !== undefined) return text + id + (open ? '' : '\x01')
  return open ? text : after(text)
}

/**
 * Encoded keys hold no surrogates, so that their order is that of their code units.
 * @param {string} text
 * @param {string | undefined} low
 * @param {string | undefined} high
 * @param {Edge | undefined} from
 * @param {Edge | undefined} to
 */
function isBetween (text, low, high, from, to) {
  if (low !== undefined && (/** @type {Edge} */ (from).open ? text <= low : text < low)) return false
  return high === undefined || (/** @type {Edge} */ (to).open ? text < high : text <= high)
}

/**
 * A range of the rows of a partition as one of all rows.
 *
 * @param {{ low?: string, high?: string, descending?: boolean }} range
 * @param {string} partition `name:`
 */
function inPartition ({ low = '', high, descending = false }, partition) {
  return { low: partition + low, high: high === undefined ? after(partition) : partition + high, descending }
}

module.exports = { inPartition, makeRange }
