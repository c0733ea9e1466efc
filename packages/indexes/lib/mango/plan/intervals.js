'use strict'

const { after, couchCollation } = require('@potoroo/collation')

/**
 * Values that are next to each other in the collation: those whose encoding is from `low` on and below
 * `high`.
 *
 * @typedef {object} Interval
 * @property {string} low
 * @property {string} high
 * @property {{ value: any }} [first] what the selector says of its lower end, and of its upper one
 * @property {{ value: any }} [last]
 */

/**
 * Intervals in their order, none of which touches another.
 * @typedef {Interval[]} Intervals
 */

/**
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {Record<string, (argument: any) => Intervals>} Operators the values that each accepts
 */

/** Before and behind all encodings. */
const BOTTOM = ''
const TOP = '\uffff'

/** @type {Intervals} */
const EVERYTHING = [{ low: BOTTOM, high: TOP }]

/** @param {any} value */
const encode = value => couchCollation.encode(value)
/** @param {any} value */
const tag = value => encode(value)[0]

/** @param {any} value @returns {Interval} */
function point (value) {
  const low = encode(value)
  return { low, high: after(low), first: { value }, last: { value } }
}

/** Whether it holds one value, and what collates with it. @param {Interval} interval */
function isPoint ({ low, high, first }) { return first !== undefined && high === after(low) }

/** The values of one type. @type {Record<string, Intervals>} */
const TYPES = {
  null: span(null, null),
  boolean: span(false, true),
  number: span(-1, 1),
  string: span('', ''),
  array: span([], []),
  object: span({}, {})
}

/** @param {any} lowest @param {any} highest @returns {Intervals} */
function span (lowest, highest) { return [{ low: tag(lowest), high: after(tag(highest)) }] }

/** Text that follows these letters may sort before them. */
const TURNS_ROUND = /\p{Logical_Order_Exception}/u

/** @param {string} prefix @returns {Intervals} */
function startingWith (prefix) {
  if (TURNS_ROUND.test(prefix)) return TYPES.string
  const last = `${prefix}\uffff`
  return [{ low: encode(prefix), high: after(encode(last)), first: { value: prefix }, last: { value: last } }]
}

/**
 * Returns where the values are that an operator accepts, and perhaps others. Operators that are not here
 * may accept everything.
 *
 * @type {Operators}
 */
const accepted = {
  $eq: value => [point(value)],
  $lt: value => [{ low: BOTTOM, high: encode(value), last: { value } }],
  $lte: value => [{ low: BOTTOM, high: after(encode(value)), last: { value } }],
  $gt: value => [{ low: after(encode(value)), high: TOP, first: { value } }],
  $gte: value => [{ low: encode(value), high: TOP, first: { value } }],
  $beginsWith: startingWith,
  // An array may have it as an element.
  $in: list => list.length === 0 ? [] : unite([...list.map(point), ...TYPES.array]),
  $all: list => list.length === 0 ? [] : TYPES.array,
  $type: type => Object.hasOwn(TYPES, type) ? TYPES[type] : [],
  $elemMatch: () => TYPES.array,
  $allMatch: () => TYPES.array,
  $keyMapMatch: () => TYPES.object,
  $size: () => TYPES.array,
  $mod: () => TYPES.number,
  $regex: () => TYPES.string
}

/**
 * Returns where the values of a field can be in documents that match; null if the selector does not say.
 *
 * @param {Node} node
 * @param {(path: string[]) => boolean} isField
 * @param {Operators} operators
 * @returns {Intervals | null}
 */
function intervalsOf (node, isField, operators) {
  if (node.op === 'field') return isField(node.path) ? ofOperator(node.part, operators) : null
  if (node.op !== '$and' && node.op !== '$or') return null
  const known = node.parts.map(part => intervalsOf(part, isField, operators))
  const told = known.filter(part => part !== null)
  if (node.op === '$and') return told.reduce((all, part) => all === null ? part : intersect(all, part), /** @type {Intervals | null} */ (null))
  return told.length === 0 || told.length < known.length ? null : unite(told.flat())
}

/** @param {Node} node @param {Operators} operators @returns {Intervals | null} */
function ofOperator (node, operators) {
  return Object.hasOwn(operators, node.op) ? operators[node.op]('argument' in node ? node.argument : undefined) : null
}

/** @param {Intervals} a @param {Intervals} b @returns {Intervals} */
function intersect (a, b) {
  const common = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const lower = a[i].low > b[j].low || (a[i].low === b[j].low && a[i].first !== undefined) ? a[i] : b[j]
    const upper = a[i].high < b[j].high || (a[i].high === b[j].high && a[i].last !== undefined) ? a[i] : b[j]
    if (lower.low < upper.high) common.push({ low: lower.low, high: upper.high, first: lower.first, last: upper.last })
    if (a[i].high < b[j].high) i++
    else j++
  }
  return common
}

/** @param {Interval[]} intervals in any order @returns {Intervals} */
function unite (intervals) {
  const sorted = intervals.toSorted((a, b) => a.low < b.low ? -1 : a.low > b.low ? 1 : 0)
  const united = []
  for (const interval of sorted) {
    const before = united.at(-1)
    if (before === undefined || before.high < interval.low) united.push({ ...interval })
    else if (interval.high > before.high) Object.assign(before, { high: interval.high, last: interval.last })
  }
  return united
}

/** @param {Intervals} intervals */
function isEverything ([{ low, high } = { low: TOP, high: TOP }]) { return low === BOTTOM && high === TOP }

/** Whether all of `a` is in `b`. @param {Intervals} a @param {Intervals} b */
function within (a, b) { return a.every(({ low, high }) => b.some(other => other.low <= low && high <= other.high)) }

module.exports = { EVERYTHING, TYPES, accepted, intersect, intervalsOf, isEverything, isPoint, point, within }
