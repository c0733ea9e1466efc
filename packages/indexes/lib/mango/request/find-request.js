'use strict'

const { validatePartition } = require('@potoroo/document-store')
const { badRequest, formatTerm, printTerm } = require('@potoroo/errors')
const { mangoError } = require('../selector/mango-error')
const { compileInTurns } = require('../selector/match-in-turns')
const { assertShallow, isObject, normalizeSelector } = require('../selector/normalize-selector')
const { parsePath } = require('../selector/path')

/**
 * A find as it is carried out.
 *
 * @typedef {object} FindRequest
 * @property {import('../selector/normalize-selector').Node} node the normalised selector
 * @property {import('../selector/match-in-turns').Accepts} accepts whether a document matches
 * @property {number} limit
 * @property {number} skip
 * @property {string[][]} sort paths
 * @property {boolean} descending
 * @property {string[][] | undefined} fields paths; undefined for all
 * @property {string[]} useIndex as it was given: a design document, and a view
 * @property {boolean} allowFallback
 * @property {boolean} conflicts
 * @property {boolean} stats
 * @property {boolean} updates the index first
 * @property {string | null} bookmark
 * @property {Record<string, any>} options in CouchDB's names and order
 */

/** Fields of a sort, or of an index: each is looked for in the whole selector. */
const MOST_FIELDS = 100

/** Fields that are taken of each document. */
const MOST_TAKEN = 1000

/**
 * The members of a request, each with its standard value and the function that reads it, in the order in
 * which CouchDB checks.
 *
 * @type {Array<[string, any, (value: any, name: string) => any]>}
 */
const parameters = [
  ['use_index', [], parseUseIndex],
  ['bookmark', '', parseBookmark],
  ['limit', 25, count],
  ['skip', 0, count],
  ['sort', [], parseSort],
  ['fields', [], parseFields],
  ['partition', '', parsePartition],
  ['r', 1, positive],
  ['conflicts', false, boolean],
  ['stale', false, parseStale],
  ['update', true, boolean],
  ['stable', false, boolean],
  ['execution_stats', false, boolean],
  ['allow_fallback', true, boolean]
]

/** The names of all members. */
const NAMES = ['selector', ...parameters.map(([name]) => name)]

/** The standard values as they are read, which nobody changes. @type {Map<string, any>} */
const STANDARDS = new Map(parameters.map(([name, standard, parse]) => [name, parse(standard, name)]))

/**
 * @param {any} body of `POST /{db}/_find`, an object
 * @param {number} [defaultLimit]
 * @returns {FindRequest}
 * @throws bad_request and Mango's own errors, status 400
 */
function parseFind (body, defaultLimit = 25) {
  if (body.selector === undefined) throw missingKey('selector')
  const node = normalizeSelector(body.selector)
  /** @type {Record<string, any>} */
  const options = {}
  for (const [name, , parse] of parameters) options[name] = body[name] === undefined ? STANDARDS.get(name) : parse(body[name], name)
  if (body.limit === undefined) options.limit = count(defaultLimit)
  assertKnown(body, NAMES)
  const { sort } = options
  options.sort = Object.fromEntries(sort)
  return {
    node,
    accepts: compileInTurns(node),
    limit: options.limit,
    skip: options.skip,
    sort: [...sort.keys()].map(parsePath),
    descending: sort.values().next().value === 'desc',
    fields: options.fields.length === 0 ? undefined : options.fields.map(parsePath),
    useIndex: options.use_index,
    allowFallback: options.allow_fallback,
    conflicts: options.conflicts,
    stats: options.execution_stats,
    updates: options.update && options.stale === false,
    bookmark: options.bookmark,
    options
  }
}

/** @param {any} body */
function assertObject (body) {
  if (!isObject(body)) throw badRequest('Request body must be a JSON object')
  assertShallow(body)
}

/** @param {Record<string, any>} body @param {string[]} names */
function assertKnown (body, names) {
  const stranger = Object.keys(body).find(name => !names.includes(name))
  if (stranger !== undefined) throw mangoError('invalid_key', `Invalid key ${stranger} for this request.`)
}

/** @param {string} key */
function missingKey (key) { return mangoError('missing_required_key', `Missing required key: ${key}`) }

/** @param {any} value @returns {number} */
function count (value) {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw mangoError('invalid_non_neg_integer', `${formatTerm(value)} is not an integer greater than or equal to zero`)
}

/** @param {any} value @returns {number} */
function positive (value) {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw mangoError('invalid_pos_integer', `${formatTerm(value)} is not an integer greater than zero`)
}

/** @param {any} value @returns {boolean} */
function boolean (value) {
  if (typeof value === 'boolean') return value
  throw mangoError('invalid_boolean', `Invalid boolean value: ${formatTerm(value)}`)
}

/**
 * A design document's name, that and a view's, or either as a list.
 *
 * @param {any} given
 * @returns {string[]}
 */
function parseUseIndex (given) {
  if (given === null) return []
  const parts = typeof given === 'string' ? splitName(given) : given
  if (Array.isArray(parts) && parts.length <= 2 && parts.every(part => typeof part === 'string')) return parts
  throw mangoError('invalid_index_name', `Invalid index name: ${formatTerm(given)}`)
}

/** @param {string} name */
function splitName (name) {
  const parts = name.split('/')
  return parts.length > 1 && parts[0] === '_design' ? parts.slice(1) : parts
}

/** @param {any} given @returns {string | null} */
function parseBookmark (given) {
  if (given === null || given === '') return null
  if (typeof given === 'string') return given
  throw invalidBookmark(given)
}

/** @param {any} given */
function invalidBookmark (given) { return mangoError('invalid_bookmark', `Invalid bookmark value: ${JSON.stringify(given)}`) }

/**
 * Fields with their directions, as of an index. An object would put names that are numbers first.
 * @param {any} sort
 * @returns {Map<string, string>}
 */
function parseSort (sort) {
  if (!Array.isArray(sort)) throw mangoError('invalid_sort_json', `Sort must be an array of sort specs, not: ${printTerm(sort)}`)
  if (sort.length > MOST_FIELDS) throw mangoError('invalid_sort_json', `Sort must have at most ${MOST_FIELDS} fields`)
  const pairs = sort.map(sortField)
  if (new Set(pairs.map(([, direction]) => direction)).size > 1) throw mangoError('unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.')
  return new Map(pairs)
}

/** @param {any} given @returns {[string, any]} a field and its direction */
function sortField (given) {
  if (typeof given === 'string' && given !== '') return [given, 'asc']
  const [pair, more] = isObject(given) ? Object.entries(given) : []
  if (pair === undefined || more !== undefined || !['asc', 'desc'].includes(pair[1])) throw mangoError('invalid_sort_field', `Invalid sort field: ${printTerm(given)}`)
  return pair
}

/** @param {any} fields @returns {string[]} */
function parseFields (fields) {
  if (!Array.isArray(fields)) throw mangoError('invalid_fields', `Fields must be an array of strings, not: ${formatTerm(fields)}`)
  if (fields.length > MOST_TAKEN) throw mangoError('invalid_fields', `Fields must have at most ${MOST_TAKEN} fields`)
  for (const field of fields) {
    if (typeof field !== 'string') throw mangoError('invalid_field', `Invalid JSON for field spec: ${formatTerm(field)}`)
    parsePath(field)
  }
  return fields
}

/** @param {any} partition @returns {string} */
function parsePartition (partition) {
  if (partition === '') return partition
  if (typeof partition !== 'string') throw mangoError('illegal_partition', 'Partition must be a string')
  return validatePartition(partition)
}

/** @param {any} stale @returns {'ok' | false} */
function parseStale (stale) {
  if (stale === 'ok') return stale
  if (stale === false || stale === 'false') return false
  throw mangoError('invalid_value', `Invalid value for stale: ${formatTerm(stale)}`)
}

module.exports = { assertKnown, assertObject, invalidBookmark, missingKey, parseFields, parseFind, parseSort, positive }
