'use strict'

const { couchCollation } = require('@potoroo/collation')
const { createError } = require('@potoroo/errors')

const { compare } = couchCollation

/** Collates after whatever a field may hold. */
const HIGHEST = { '\uffff': '\uffff' }

/**
 * An index as `GET /{db}/_index` lists it.
 * @typedef {{ ddoc: string | null, name: string, type: string, partial: boolean, fields: string[], def: any }} Index
 */

/** @type {Index} */
const ALL_DOCS = { ddoc: null, name: '_all_docs', type: 'special', partial: false, fields: ['_id'], def: { fields: [{ _id: 'asc' }] } }

/**
 * What a selector says of fields that all have to hold: field → `[operator, argument]` pairs.
 * What stands under `$or`, `$not` and `$nor` narrows no range.
 *
 * @returns {Map<string, Array<[string, any]>>}
 */
function conditionsOf (selector, path = '', conditions = new Map()) {
  for (const [key, argument] of Object.entries(selector)) {
    if (key === '$and') for (const part of argument) conditionsOf(part, path, conditions)
    else if (key.startsWith('$')) note(conditions, path, key, argument)
    else noteField(conditions, path === '' ? key : `${path}.${key}`, argument)
  }
  return conditions
}

function noteField (conditions, field, argument) {
  if (typeof argument === 'object' && argument !== null && !Array.isArray(argument) && Object.keys(argument).length > 0) conditionsOf(argument, field, conditions)
  else note(conditions, field, '$eq', argument)
}

const COMBINING = ['$or', '$nor', '$not']

function note (conditions, field, operator, argument) {
  if (field === '' || COMBINING.includes(operator)) return
  if (!conditions.has(field)) conditions.set(field, [])
  conditions.get(field).push([operator, argument])
}

/** Whether a condition on the field makes sure that it is there. */
function requires (conditions, field) {
  return conditions.get(field)?.some(([operator, argument]) => operator !== '$exists' || argument === true) ?? false
}

/**
 * @typedef {{ equal?: any, low?: any, high?: any }} Bounds
 *
 * `{ equal }`, or `{ low, high }` of a field, as far as its conditions say.
 * @returns {Bounds}
 */
function boundsOf (pairs = []) {
  /** @type {Bounds} */
  const bounds = {}
  const raise = value => { if (bounds.low === undefined || compare(value, bounds.low) > 0) bounds.low = value }
  const lower = value => { if (bounds.high === undefined || compare(value, bounds.high) < 0) bounds.high = value }
  for (const [operator, argument] of pairs) {
    if (operator === '$eq') bounds.equal = argument
    if (operator === '$gt' || operator === '$gte') raise(argument)
    if (operator === '$lt' || operator === '$lte') lower(argument)
    if (operator === '$beginsWith') {
      raise(argument)
      lower(`${argument}\uffff`)
    }
  }
  return bounds
}

/**
 * @param {string[]} fields of an index
 * @param {Map<string, Array<[string, any]>>} conditions
 * @returns {{ startkey?: any, endkey?: any, used: number }} a range of its rows that holds all that
 *   match, and perhaps more; used: how many fields narrow it
 */
function rangeFor (fields, conditions) {
  const prefix = []
  for (const field of fields) {
    const bounds = boundsOf(conditions.get(field))
    if (bounds.equal !== undefined) {
      prefix.push(bounds.equal)
      continue
    }
    return toKeys(fields, prefix, bounds)
  }
  return toKeys(fields, prefix, {})
}

/**
 * @param {string[]} fields
 * @param {any[]} prefix values that the first fields equal
 * @param {Bounds} bounds of the field after them
 */
function toKeys (fields, prefix, { low, high }) {
  const used = prefix.length + (low !== undefined || high !== undefined ? 1 : 0)
  if (used === 0) return { used }
  if (fields.length === 1) return prefix.length === 1 ? { startkey: prefix[0], endkey: prefix[0], used } : { startkey: low, endkey: high, used }
  return {
    startkey: low === undefined ? prefix : [...prefix, low],
    endkey: high === undefined ? [...prefix, HIGHEST] : [...prefix, high, HIGHEST],
    used
  }
}

/** Rows come in the order of the sort: what equals one value sorts by nothing. */
function sorts (index, sort, conditions) {
  const isFixed = field => boundsOf(conditions.get(field)).equal !== undefined
  const order = index.fields.filter(field => !isFixed(field))
  return sort.filter(field => !isFixed(field)).every((field, i) => order[i] === field)
}

function isUsable (index, { sort }, conditions) {
  if (!sorts(index, sort, conditions)) return false
  return index === ALL_DOCS || index.fields.every(field => requires(conditions, field) || sort.includes(field))
}

/**
 * Picks the index of a find: the one that was asked for, else the one with most fields that
 * narrow its range, of these the shortest.
 *
 * @param {import('./find-request').FindRequest} request
 * @param {Index[]} indexes without `_all_docs`
 * @returns {{ index: Index, range: { startkey?: any, endkey?: any, used: number }, warning?: string }}
 * @throws no_usable_index where nothing sorts as wanted
 */
function planFind (request, indexes) {
  const conditions = conditionsOf(request.selector)
  const candidates = indexes.filter(index => isUsable(index, request, conditions))
    .map(index => ({ index, range: rangeFor(index.fields, conditions) }))
  const [ddoc, name] = request.useIndex
  const asked = ddoc && candidates.find(({ index }) => index.ddoc === ddoc && (name === undefined || index.name === name))
  if (asked) return asked
  if (ddoc && !request.allowFallback) throw noIndex(`${request.useIndex.join(', ')} was not used because it is not a valid index for this query.`)
  const notUsed = ddoc && `${request.useIndex.join(', ')} was not used because it does not contain a valid index for this query.`
  const plan = best(candidates.filter(({ index }) => !index.partial), request, conditions)
  return notUsed ? { ...plan, warning: notUsed } : plan
}

function best (candidates, request, conditions) {
  const all = { index: ALL_DOCS, range: rangeFor(['_id'], conditions) }
  if (all.range.used > 0 && isUsable(ALL_DOCS, request, conditions)) return all
  const ranked = candidates.sort((a, b) => b.range.used - a.range.used || a.index.fields.length - b.index.fields.length)
  if (ranked.length > 0) return ranked[0]
  if (!isUsable(ALL_DOCS, request, conditions)) throw noIndex('No index exists for this sort, try indexing by the sort fields.')
  return { ...all, warning: 'No matching index found, create an index to optimize query time.' }
}

function noIndex (reason) { return createError('BAD_REQUEST', { error: 'no_usable_index', reason }) }

module.exports = { planFind, ALL_DOCS }
