'use strict'

const { after, couchCollation, pouchCollation } = require('@potoroo/collation')
const { TYPES: SPANS, isPoint, within } = require('../mango/plan/intervals')
const { fieldsOf } = require('../mango/selector/selector-fields')

/**
 * How the queries that a document can match are found in a table, without matching each: their shape, and the place of
 * one query in it. Whatever is found is matched in full, so a place may be too large, and never too small.
 *
 * @typedef {object} Access
 * @property {'couch' | 'pouch'} order of values
 * @property {string[][]} fields whose values are looked up, all of them together
 * @property {string[][]} keys for each of these fields, the values that the query can match, as `keyOf` has them
 * @property {string[] | null} range the field whose value is looked up in intervals; null: none
 * @property {Array<{ low: string, high: string }>} intervals of that field
 */

/** @typedef {import('../mango/plan/conditions').Conditions} Conditions */
/** @typedef {import('../mango/plan/intervals').Intervals} Intervals */

const COLLATIONS = { couch: couchCollation, pouch: pouchCollation }

/** Fields that are looked at: each is looked for in the whole selector. */
const MOST_FIELDS = 16

/** Places that one query may have in a table, and intervals. */
const MOST_KEYS = 16
const MOST_INTERVALS = 16

/** Lists and objects are told apart by their type alone: to encode them may cost as much as to match them. */
const [ARRAY, OBJECT] = ['[', '{']

/**
 * Returns the text that a value is looked up by. Values that are equal have the same.
 *
 * @param {any} value of a document, or of a selector
 * @param {'couch' | 'pouch'} order
 */
function keyOf (value, order) {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? ARRAY : OBJECT
  return COLLATIONS[order].encode(value === 0 ? 0 : value)
}

const TYPES = {
  couch: { [ARRAY]: couchCollation.encode([])[0], [OBJECT]: couchCollation.encode({})[0] },
  pouch: { [ARRAY]: pouchCollation.encode([])[0], [OBJECT]: pouchCollation.encode({})[0] }
}

/** Returns where a value with this key is among intervals. @param {string} key @param {'couch' | 'pouch'} order @returns {[from: string, to: string]} */
function rangeOf (key, order) {
  const type = key === ARRAY || key === OBJECT ? TYPES[order][key] : null
  return type === null ? [key, `${key}\0`] : [type, after(type)]
}

/**
 * The access of a Mango selector.
 *
 * @param {import('../mango/selector/normalize-selector').Node} node
 * @param {Conditions} conditions of it
 * @returns {Access | null} null where nothing can match
 */
function mangoAccess (node, conditions) {
  const fields = fieldsOf(node).slice(0, MOST_FIELDS).filter(path => path.length > 0 && conditions.requires(path) && conditions.narrows(path))
  const known = fields.map(path => ({ path, intervals: conditions.intervals(path) }))
  if (known.some(({ intervals }) => intervals.length === 0)) return null
  const keyed = known.filter(({ intervals }) => intervals.every(interval => isPoint(interval) || within([interval], SPANS.array)))
  const others = known.filter(each => !keyed.includes(each) && each.intervals.length <= MOST_INTERVALS)
  return accessOf('couch', keyed.map(({ path, intervals }) => ({ path, keys: keysOf(intervals) })), others)
}

/** @param {Intervals} intervals points, and lists @returns {string[]} */
function keysOf (intervals) {
  return [...new Set(intervals.map(({ low }) => low.startsWith(TYPES.couch[ARRAY]) ? ARRAY : low.startsWith(TYPES.couch[OBJECT]) ? OBJECT : low))]
}

/**
 * The access of a selector in pouchdb-find's form.
 *
 * @param {Record<string, any>} selector massaged
 * @returns {Access}
 */
function pouchAccess (selector) {
  const keyed = []
  const others = []
  for (const [name, condition] of Object.entries(selector).slice(0, MOST_FIELDS)) {
    if (name.startsWith('$') || /[.\\]/.test(name) || typeof condition !== 'object' || condition === null) continue
    const path = [name]
    if (Object.hasOwn(condition, '$eq')) keyed.push({ path, keys: [keyOf(condition.$eq, 'pouch')] })
    else others.push(...intervalOf(condition).map(interval => ({ path, intervals: [interval] })))
  }
  return accessOf('pouch', keyed, others)
}

/** @param {Record<string, any>} condition @returns {Array<{ low: string, high: string }>} none, or one */
function intervalOf ({ $gt, $gte = $gt, $lt, $lte = $lt }) {
  if (![$gte, $lte].every(isScalar)) return []
  if ($gte === undefined && $lte === undefined) return []
  const low = $gte === undefined ? '' : keyOf($gte, 'pouch')
  const high = $lte === undefined ? '\uffff' : after(keyOf($lte, 'pouch'))
  return low < high ? [{ low, high }] : []
}

/** @param {any} value */
function isScalar (value) { return typeof value !== 'object' || value === null }

/**
 * @param {Access['order']} order
 * @param {Array<{ path: string[], keys: string[] }>} keyed
 * @param {Array<{ path: string[], intervals: Array<{ low: string, high: string }> }>} others
 * @returns {Access}
 */
function accessOf (order, keyed, others) {
  const chosen = []
  let places = 1
  for (const each of keyed.toSorted((a, b) => a.keys.length - b.keys.length)) {
    places *= each.keys.length
    if (places > MOST_KEYS) break
    chosen.push(each)
  }
  chosen.sort((a, b) => nameOf(a.path) < nameOf(b.path) ? -1 : 1)
  const [ranged] = others.toSorted((a, b) => nameOf(a.path) < nameOf(b.path) ? -1 : 1)
  return { order, fields: chosen.map(({ path }) => path), keys: chosen.map(({ keys }) => keys), range: ranged?.path ?? null, intervals: ranged?.intervals ?? [] }
}

/** @param {string[]} path */
function nameOf (path) { return path.join('\0') }

module.exports = { keyOf, mangoAccess, nameOf, pouchAccess, rangeOf }
