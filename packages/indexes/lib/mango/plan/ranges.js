'use strict'

const { after, couchCollation } = require('@potoroo/collation')
const { LONGEST } = require('../../rows/row')
const { isPoint } = require('./intervals')
const { samePath } = require('../selector/path')

/**
 * @typedef {import('./conditions').Conditions} Conditions
 * @typedef {import('./intervals').Interval} Interval
 */

/**
 * A part of an index's rows: their encoded keys are from `low` on and below `high`. It may hold some that
 * do not match.
 *
 * @typedef {object} Range
 * @property {string} low
 * @property {string} high
 * @property {string} head what all of its keys begin with, before the fields of the sort
 */

/**
 * How rows of an index come in the order of a sort.
 *
 * @typedef {object} Order
 * @property {boolean} merges whether the ranges have to be merged for it
 * @property {Array<{ position: number } | { value: any }>} sources of the sort's fields: a place in the key, or the
 *   value that the selector fixes
 * @property {number} head columns before the first that sorts
 * @property {Array<{ sort: number } | { text: string }>} tail from there to the last that sorts: a field of the
 *   sort, or a value that is fixed, encoded
 */

/** Ranges of one index at most: with more it is read from the first to the last. */
const MOST = 1000

/** Ranges that are merged at most: all of them are open at once. */
const MOST_MERGED = 100

const ARRAY = couchCollation.encode([])[0]

/**
 * @param {string[][]} columns
 * @param {import('./conditions').Conditions} conditions
 * @param {string[][]} sort
 * @returns {Order | null} where the index cannot sort so
 */
function orderOf (columns, conditions, sort) {
  /** @param {string[]} path */
  const isFixed = path => conditions.isFixed(path) || conditions.isImpossible(path)
  /** @type {Order['sources']} */
  const sources = sort.map(path => isFixed(path) ? { value: fixedValue(conditions, path) } : { position: -1 })
  const wanted = sort.map((path, i) => i).filter(i => 'position' in sources[i])
  /** @type {Order} */
  const order = { merges: false, sources, head: 0, tail: [] }
  // As in CouchDB a sort needs an index with its fields, though their values be fixed.
  if (wanted.length === 0) return sort.length === 0 || columns.some(column => sort.some(path => samePath(path, column))) ? order : null
  /** @param {string[]} column @param {number} n */
  const isWanted = (column, n) => samePath(column, sort[wanted[n]])
  order.head = columns.findIndex(column => isWanted(column, 0))
  const before = columns.slice(0, order.head)
  if (order.head === -1 || !before.every(column => conditions.isChosen(column) || isFixed(column))) return null
  order.merges = before.some(column => !isFixed(column))
  let found = 0
  for (let i = order.head; i < columns.length && found < wanted.length; i++) {
    if (isWanted(columns[i], found)) {
      order.tail.push({ sort: wanted[found] })
      sources[wanted[found++]] = { position: i }
    } else if (isFixed(columns[i])) order.tail.push({ text: conditions.intervals(columns[i])[0]?.low ?? '' })
    else return null
  }
  return found === wanted.length ? order : null
}

/** @param {Conditions} conditions @param {string[]} path */
function fixedValue (conditions, path) { return conditions.intervals(path)[0]?.first?.value ?? null }

/** Returns the values that a row is sorted by. @param {Order} order @param {any[]} key @returns {any[]} */
function valuesOf ({ sources }, key) { return sources.map(source => 'value' in source ? source.value : key[source.position]) }

/**
 * @param {string[][]} columns
 * @param {import('./conditions').Conditions} conditions
 * @param {Order} order
 * @returns {{ ranges: Range[], absent: Range[] } | null} ranges in the order of the keys, none where nothing
 *   can match; absent: what must have no rows for the order to be true. Null where there are too many to
 *   merge.
 */
function rangesOf (columns, conditions, { merges, head }) {
  const ranges = []
  const absent = []
  let starts = [{ text: ARRAY, head: ARRAY }]
  for (let i = 0; i < columns.length && starts.length > 0; i++) {
    const intervals = conditions.intervals(columns[i])
    if (starts.length * intervals.length > MOST) {
      if (i < head) return null
      ranges.push(...within(starts, [{ low: intervals[0].low, high: intervals[intervals.length - 1].high }]))
      starts = []
      break
    }
    const others = within(starts, intervals.filter(interval => !isPoint(interval)))
    if (merges && i < head) absent.push(...others)
    else ranges.push(...others)
    const points = intervals.filter(isPoint)
    starts = starts.flatMap(start => points.map(({ low }) => ({ text: start.text + low, head: i < head ? start.text + low : start.head })))
  }
  for (const { text, head } of starts) ranges.push({ low: cut(text), high: after(cut(text)), head })
  if (merges && ranges.length > MOST_MERGED) return null
  return { ranges: ranges.sort((a, b) => a.low < b.low ? -1 : 1), absent }
}

/** @param {Array<{ text: string, head: string }>} starts @param {Interval[]} intervals @returns {Range[]} */
function within (starts, intervals) {
  return starts.flatMap(({ text, head }) => intervals.map(({ low, high }) => ({ low: cut(text + low), high: cutAfter(text + high), head })))
}

/** Cuts longer keys as they stand in the level. @param {string} text */
function cut (text) { return text.length > LONGEST ? text.slice(0, LONGEST) : text }
/** @param {string} text */
function cutAfter (text) { return text.length > LONGEST ? after(text.slice(0, LONGEST)) : text }

/**
 * The rest of a range, behind a row of it.
 *
 * @template {Range} R
 * @param {R} range
 * @param {any[]} key
 * @param {string} id
 * @param {boolean} descending
 * @returns {R}
 */
function behindRow (range, key, id, descending) {
  const at = cut(couchCollation.encode(key)) + id
  return descending ? { ...range, high: least(range.high, at) } : { ...range, low: greatest(range.low, `${at}\x01`) }
}

/**
 * The rest of a range behind values of the sort, or from them on.
 *
 * @template {Range & { order: Order }} R
 * @param {R} range
 * @param {any[]} values
 * @param {{ descending: boolean, open: boolean }} side open: rows with these values are done with
 * @returns {R} all of it where that cannot be told from the keys
 */
function behindValues (range, values, { descending, open }) {
  const { sources, tail } = range.order
  if (sources.some((source, i) => 'value' in source && couchCollation.compare(source.value, values[i]) !== 0)) return range
  const text = range.head + tail.map(each => 'text' in each ? each.text : couchCollation.encode(values[each.sort])).join('')
  if (text.length > LONGEST) return range
  const at = descending === open ? text : after(text)
  return descending ? { ...range, high: least(range.high, at) } : { ...range, low: greatest(range.low, at) }
}

/** @param {string} a @param {string} b */
function least (a, b) { return a < b ? a : b }
/** @param {string} a @param {string} b */
function greatest (a, b) { return a > b ? a : b }

module.exports = { behindRow, behindValues, orderOf, rangesOf, valuesOf }
