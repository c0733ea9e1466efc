'use strict'

const { END } = require('./interval-list')

/**
 * Intervals of one list that are left out, or changed.
 *
 * @typedef {import('./interval-list').IntervalList} IntervalList
 * @typedef {(lists: IntervalList[], out: IntervalList, numbers: number[]) => void} Change
 */

/** @type {Change} */
function maxgaps ([{ starts, ends, gaps, count }], out, [most]) {
  for (let i = 0; i < count; i++) if (gaps[i] <= most) out.add(starts[i], ends[i], gaps[i])
}

/** @type {Change} */
function maxwidth ([{ starts, ends, gaps, count }], out, [most]) {
  for (let i = 0; i < count; i++) if (ends[i] - starts[i] + 1 <= most) out.add(starts[i], ends[i], gaps[i])
}

/** Makes each longer, not beyond the first position. @type {Change} */
function extend ([{ starts, ends, gaps, count }], out, [before, after]) {
  for (let i = 0; i < count; i++) out.add(Math.max(0, starts[i] - before), Math.min(END - 1, ends[i] + after), gaps[i])
}

/** The position before each; the first one has itself. @type {Change} */
function preceding ([{ starts, count }], out) {
  for (let i = 0; i < count; i++) {
    const at = Math.max(0, starts[i] - 1)
    out.add(at, at)
  }
}

/** The position behind each. @type {Change} */
function following ([{ ends, count }], out) {
  for (let i = 0; i < count; i++) {
    const at = Math.min(END - 1, ends[i] + 1)
    out.add(at, at)
  }
}

module.exports = { extend, following, maxgaps, maxwidth, preceding }
