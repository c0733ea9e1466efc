'use strict'

const { isObject, validatePartition } = require('@potoroo/document-store')
const { booleanOf, jsonOf, refuse } = require('./search-args')

/** @typedef {import('@potoroo/indexes').SearchArgs} SearchArgs */

/** Hits at most, as Nouveau has them. */
const MOST = 200

const JSONS = new Set(['sort', 'ranges', 'counts'])

/** The parameters of a GET, as a body of a POST has them. @param {string} search @returns {Record<string, any>} */
function readNouveauQuery (search) {
  return Object.fromEntries([...new URLSearchParams(search)].map(([name, text]) => [name, JSONS.has(name) ? jsonOf(name, text) : text]))
}

/** @param {string} name @param {unknown} value @param {number} standard */
function positiveOf (name, value, standard) {
  if (value === undefined) return standard
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (!Number.isInteger(number)) throw refuse(`${name} parameter must be an integer`)
  if (Number(number) < 1) throw refuse(`${name} parameter must be greater than zero`)
  return Number(number)
}

/**
 * @param {Record<string, any>} given
 * @param {string | undefined} partition
 * @returns {SearchArgs & { topN: number }}
 */
function readNouveauArgs (given, partition) {
  if (given.q === undefined) throw refuse('q parameter is mandatory')
  if (typeof given.q !== 'string') throw refuse(`Invalid value for query: ${JSON.stringify(given.q)}`)
  const limit = positiveOf('limit', given.limit, 25)
  if (limit > MOST) throw refuse(`limit must not exceed ${MOST}`)
  return {
    q: given.q,
    limit,
    partition: partition === undefined ? undefined : validatePartition(partition),
    bookmark: given.bookmark,
    sort: sortOf(given.sort),
    counts: namesOf('counts', given.counts),
    ranges: rangesOf(given.ranges),
    topN: positiveOf('top_n', given.top_n, 10),
    locale: localeOf(given.locale),
    update: given.update === undefined || booleanOf('update', given.update),
    includeDocs: given.include_docs !== undefined && booleanOf('include_docs', given.include_docs)
  }
}

/** @param {unknown} locale */
function localeOf (locale) {
  if (locale == null) return undefined
  if (typeof locale !== 'string') throw refuse(`Invalid value for locale: ${JSON.stringify(locale)}`)
  return locale
}

/** @param {unknown} sort */
function sortOf (sort) { return typeof sort === 'string' || sort == null ? sort : namesOf('sort', sort) }

/** @param {string} name @param {unknown} value */
function namesOf (name, value) {
  if (value == null) return undefined
  if (!Array.isArray(value)) throw refuse(`${name} parameter must be a list of strings`)
  if (!value.every(each => typeof each === 'string')) throw refuse(`all items in ${name} parameter must be strings`)
  return value
}

/** Brings `[{ label, min, max, min_inclusive, max_inclusive }]` to the form of `_search`. @param {unknown} ranges */
function rangesOf (ranges) {
  if (ranges == null) return undefined
  if (!isObject(ranges)) throw refuse('range values must be lists of objects')
  return Object.fromEntries(Object.entries(ranges).map(([field, list]) => {
    if (!Array.isArray(list)) throw refuse('range values must be lists of objects')
    if (!list.every(isObject)) throw refuse('all values in ranges parameter must be objects')
    return [field, Object.fromEntries(list.map(each => [String(each.label), rangeText(each)]))]
  }))
}

/** @param {any} range */
function rangeText ({ min = '-Infinity', max = 'Infinity', min_inclusive: low = true, max_inclusive: high = true }) {
  return `${low ? '[' : '{'}${min} TO ${max}${high ? ']' : '}'}`
}

module.exports = { readNouveauArgs, readNouveauQuery }
