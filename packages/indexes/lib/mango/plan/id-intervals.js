'use strict'

/**
 * @typedef {import('./intervals').Interval} Interval
 * @typedef {import('./intervals').Intervals} Intervals
 */

/**
 * Intervals of ids in the order of all documents, which is that of their bytes: `low` and `high` are
 * texts with a character for each byte, and '\0' after them where the id itself is on the other side.
 */
const BOTTOM = ''
const TOP = '\uffff'
const ALL = [{ low: BOTTOM, high: TOP }]

/** @param {string} id */
function encode (id) { return Buffer.from(id).toString('latin1') }

/** @param {string} text */
function decode (text) { return Buffer.from(text, 'latin1').toString() }

/** @param {string} id @returns {Interval} */
function point (id) {
  const low = encode(id)
  return { low, high: `${low}\0`, first: { value: id }, last: { value: id } }
}

/**
 * Ids are strings, and come after all that is none.
 *
 * @param {(text: string, side: { value: string }) => Intervals} of
 * @returns {(value: any) => Intervals}
 */
const forText = of => value => typeof value === 'string' ? of(encode(value), { value }) : []
/** @param {(text: string, side: { value: string }) => Intervals} of @returns {(value: any) => Intervals} */
const orAll = of => value => typeof value === 'string' ? of(encode(value), { value }) : ALL

/** @type {Record<string, (argument: any) => import('./intervals').Intervals>} */
const acceptedIds = {
  $eq: value => typeof value === 'string' ? [point(value)] : [],
  $lt: forText((high, last) => high === BOTTOM ? [] : [{ low: BOTTOM, high, last }]),
  $lte: forText((text, last) => [{ low: BOTTOM, high: `${text}\0`, last }]),
  $gt: orAll((text, first) => [{ low: `${text}\0`, high: TOP, first }]),
  $gte: orAll((low, first) => [{ low, high: TOP, first }]),
  $beginsWith: prefix => [{ low: encode(prefix), high: `${encode(prefix)}\u0100`, first: { value: prefix } }],
  $in: list => [...new Set(list)].filter(item => typeof item === 'string').map(point).sort((a, b) => a.low < b.low ? -1 : 1)
}

/** The one id of an interval; undefined where it may have several. @param {Interval} interval */
function idPoint ({ low, high }) { return high === `${low}\0` ? decode(low) : undefined }

/**
 * The ends of an interval, as ids.
 *
 * @param {import('./intervals').Interval} interval
 * @returns {{ low?: string, high?: string, afterLow: boolean, beforeHigh: boolean }} whether the ids at the ends
 *   are not in it
 */
function idEnds ({ low, high }) {
  const afterLow = low.endsWith('\0')
  const ends = { afterLow, beforeHigh: false, low: low === BOTTOM ? undefined : decode(afterLow ? low.slice(0, -1) : low) }
  if (high === TOP) return ends
  if (high.endsWith('\u0100')) return { ...ends, high: `${decode(high.slice(0, -1))}\u{10ffff}` }
  return high.endsWith('\0') ? { ...ends, high: decode(high.slice(0, -1)) } : { ...ends, high: decode(high), beforeHigh: true }
}

module.exports = { acceptedIds, idEnds, idPoint }
