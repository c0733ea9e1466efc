'use strict'

const { compareUtf8 } = require('@potoroo/document-store')

/** Stretches of groups that are reduced again; with more all of them are. */
const MOST = 32

/**
 * @typedef {import('./view-result').TextRow} TextRow
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 *
 * A part of an answer: rows of groups that have not changed, or the range of some that may have.
 * @typedef {{ rows: TextRow[], range?: undefined } | { rows?: undefined, range: KeyRange }} AnswerPart
 */

/**
 * Divides an answer at what has changed since. Each group stands for the rows from its first possible one up to that of the
 * next, and the first and the last for what is before and behind: a group that is new is found where it belongs.
 *
 * @param {TextRow[]} groups in order, each with its `start`
 * @param {KeyRange} range of the answer
 * @param {string[]} changed rows, in any order
 * @returns {AnswerPart[] | undefined} undefined where the groups do not tell
 */
function partsOf (groups, { low, high }, changed) {
  const starts = /** @type {string[]} */ (groups.map(({ start }) => start))
  if (starts.length === 0 || starts.includes(/** @type {any} */ (undefined))) return undefined
  const inside = changed.filter(row => (low === undefined || compareUtf8(row, low) >= 0) && (high === undefined || compareUtf8(row, high) < 0))
  const places = [...new Set(inside.map(row => placeOf(starts, row)))].sort((a, b) => a - b)
  const parts = /** @type {AnswerPart[]} */ ([])
  let next = 0
  for (let i = 0, end; i < places.length; i = end) {
    for (end = i + 1; end < places.length && places[end] === places[end - 1] + 1;) end++
    const [first, last] = [places[i], places[end - 1]]
    if (first > next) parts.push({ rows: groups.slice(next, first) })
    next = last + 1
    parts.push({ range: { low: first === 0 ? low : starts[first], high: next === groups.length ? high : starts[next], descending: false } })
  }
  if (parts.length > MOST) return undefined
  if (next < groups.length) parts.push({ rows: groups.slice(next) })
  return parts
}

/**
 * Returns the last group that begins at a row or before it; the first one, if none does.
 * @param {string[]} starts
 * @param {string} row
 */
function placeOf (starts, row) {
  let [low, high] = [1, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUtf8(starts[middle], row) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

module.exports = { partsOf }
