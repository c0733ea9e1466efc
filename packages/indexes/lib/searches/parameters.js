'use strict'

const { isObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { areKeys } = require('@potoroo/search')

/**
 * Reads the parameters of a search, in CouchDB's notations.
 *
 * @typedef {import('@potoroo/search').Sort} Sort
 * @typedef {import('@potoroo/search').NumberRange} NumberRange
 */

/** Meters. @type {Record<string, number>} */
const UNITS = { mi: 1609.344, miles: 1609.344, mm: 0.001, cm: 0.01, m: 1, meters: 1, km: 1000, kilometers: 1000, yd: 0.9144, yards: 0.9144, ft: 0.3048, feet: 0.3048, in: 0.0254, inch: 0.0254, nmi: 1852, NM: 1852 }

const SPECIAL = /^([-+])?<(score|doc)>$/
const FIELD = /^([-+])?(.+?)(?:<(\w+)>)?$/
const DISTANCE = /^([-+])?<distance,([^,<>]+),([^,<>]+),(-?\d+(?:\.\d*)?),(-?\d+(?:\.\d*)?)(?:,(\w+))?>$/

/** Entries of a parameter, as many as a query has clauses: each is looked at for each document. */
const MOST = 1024

/** @param {number} count @param {string} parameter @throws bad_request */
function checkCount (count, parameter) {
  if (count > MOST) throw badRequest(`${parameter} has more than ${MOST} entries`)
}

/** @param {string} reason */
function parseError (reason) { return createError('BAD_REQUEST', { error: 'query_parse_error', reason }) }

/**
 * @param {unknown} text `field<string>`, `-field<number>`, `<score>`, `<doc>`, `<distance,lon,lat,x,y,km>`
 * @returns {Sort}
 */
function readSort (text) {
  if (typeof text !== 'string') throw parseError(`Unrecognized sort parameter: ${JSON.stringify(text)}`)
  const special = SPECIAL.exec(text)
  // Without a sign, the best score comes first, and with one, the worst.
  if (special !== null) return { by: /** @type {'score'} */ (special[2]), descending: special[2] === 'score' ? special[1] !== '-' : special[1] === '-' }
  const distance = DISTANCE.exec(text)
  if (distance !== null) return readDistance(distance)
  const field = FIELD.exec(text)
  if (field === null || field[2].includes('<')) throw parseError(`Unrecognized sort parameter: ${text}`)
  const by = field[3] ?? 'number'
  if (by !== 'number' && by !== 'string' && by !== 'double') throw parseError(`Unrecognized type: ${by}`)
  return { by: by === 'double' ? 'number' : by, field: field[2], descending: field[1] === '-' }
}

/** @param {RegExpExecArray} found @returns {Sort} */
function readDistance ([, sign, lonField, latField, lon, lat, unit = 'km']) {
  if (!Object.hasOwn(UNITS, unit)) throw parseError(`Unrecognized distance unit: ${unit}`)
  const place = { lon: Number(lon), lat: Number(lat) }
  if (!Number.isFinite(place.lon) || !Number.isFinite(place.lat)) throw parseError('A place of a sort by distance must be of numbers')
  return { by: 'distance', descending: sign === '-', lonField, latField, ...place, unit: UNITS[unit] }
}

/** @param {unknown} sort a text, or a list of them @returns {Sort[] | undefined} */
function readSorts (sort) {
  if (sort === undefined || sort === null || sort === 'relevance') return undefined
  const given = Array.isArray(sort) ? sort : [sort]
  checkCount(given.length, 'sort')
  return given.map(readSort)
}

const RANGE = /^\s*([[{])\s*(\S+)\s+TO\s+(\S+?)\s*([\]}])\s*$/

/**
 * @param {unknown} text `[0 TO 10}`
 * @returns {NumberRange}
 */
function readRange (text) {
  const found = RANGE.exec(String(text))
  if (found === null) throw parseError(`Cannot parse '${text}'`)
  const [, before, low, high, after] = found
  const range = { low: numberOf(low, -Infinity), high: numberOf(high, Infinity), includeLow: before === '[', includeHigh: after === ']' }
  if (Number.isNaN(range.low) || Number.isNaN(range.high)) throw parseError(`Cannot parse '${text}'`)
  return range
}

/** @param {string} text @param {number} open */
function numberOf (text, open) { return text === '*' ? open : Number(text) }

/**
 * @param {unknown} ranges `{ field: { label: '[0 TO 10]' } }`
 * @returns {Record<string, Record<string, NumberRange>> | undefined}
 */
function readRanges (ranges) {
  if (ranges === undefined || ranges === null) return undefined
  if (!isObject(ranges) || !Object.values(ranges).every(isObject)) throw badRequest('ranges must be an object of objects')
  checkCount(Object.values(ranges).reduce((sum, labels) => sum + 1 + Object.keys(labels).length, 0), 'ranges')
  return entriesOf(ranges, labels => entriesOf(labels, readRange))
}

/** @template T @param {Record<string, any>} object @param {(value: any) => T} read @returns {Record<string, T>} */
function entriesOf (object, read) { return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, read(value)])) }

/** @param {unknown} names @param {string} parameter @returns {string[] | undefined} */
function readNames (names, parameter) {
  if (names === undefined || names === null) return undefined
  if (!Array.isArray(names) || !names.every(name => typeof name === 'string')) throw badRequest(`${parameter} must be a list of strings`)
  checkCount(names.length, parameter)
  return names
}

/**
 * @param {unknown} drilldown `[field, value…]`, or several
 * @returns {string[][]} of each the field and values, one of which it has to be; without values any
 */
function readDrilldown (drilldown) {
  if (drilldown === undefined || drilldown === null) return []
  const several = Array.isArray(drilldown) && drilldown.every(Array.isArray) ? drilldown : [drilldown]
  const fields = new Set()
  checkCount(several.length, 'drilldown')
  return several.map(each => {
    if (!Array.isArray(each) || each.length < 1 || !each.every(part => ['string', 'number', 'boolean'].includes(typeof part))) throw badRequest('drilldown must be a list of a field and values')
    const strings = each.map(String)
    if (fields.has(strings[0])) throw badRequest(`dimension '${strings[0]}' was already added`)
    fields.add(strings[0])
    return strings
  })
}

/** @param {any[]} keys of the last hit */
function packBookmark (keys) { return Buffer.from(JSON.stringify(keys)).toString('base64url') }

/** @param {unknown} bookmark @param {Sort[]} [sorts] @returns {any[] | undefined} keys of a hit in that order */
function unpackBookmark (bookmark, sorts) {
  if (bookmark === undefined || bookmark === null || bookmark === '' || bookmark === 'nil') return undefined
  const keys = parsed(bookmark)
  if (!areKeys(keys, sorts)) throw badRequest('Invalid bookmark parameter supplied')
  return keys
}

/** @param {unknown} bookmark @param {number} shards @returns {Array<any[] | null>} */
function unpackBookmarks (bookmark, shards) {
  if (bookmark === undefined || bookmark === null || bookmark === '' || bookmark === 'nil') return new Array(shards).fill(null)
  const places = parsed(bookmark)
  if (!Array.isArray(places) || places.length !== shards || !places.every(place => place === null || Array.isArray(place))) throw badRequest('Invalid bookmark parameter supplied')
  return places
}

/** @param {unknown} bookmark */
function parsed (bookmark) {
  try {
    return JSON.parse(Buffer.from(String(bookmark), 'base64url').toString())
  } catch {
    return undefined
  }
}

module.exports = { checkCount, packBookmark, readDrilldown, readNames, readRanges, readSorts, unpackBookmark, unpackBookmarks }
