'use strict'

const { createError } = require('@potoroo/errors')
const { compileSelector } = require('./selector')

/**
 * A find as it is carried out.
 *
 * @typedef {object} FindRequest
 * @property {any} selector
 * @property {(doc: any) => boolean} matches
 * @property {number} limit
 * @property {number} skip
 * @property {string[]} sort fields
 * @property {boolean} descending
 * @property {string[] | undefined} fields
 * @property {string[]} useIndex design document (with `_design/`), and view
 * @property {boolean} conflicts
 * @property {boolean} stats
 * @property {boolean} allowFallback
 */

/**
 * @param {any} body of `POST /{db}/_find`
 * @returns {FindRequest}
 * @throws bad_request and Mango's own errors, status 400
 */
function parseFind (body) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw createError('BAD_REQUEST', { reason: 'Request body must be a JSON object' })
  if (body.selector === undefined) throw missingKey('selector')
  const matches = compileSelector(body.selector)
  const { sort, descending } = parseSort(body.sort)
  return {
    selector: body.selector,
    matches,
    limit: count('limit', body.limit, 25),
    skip: count('skip', body.skip, 0) + readBookmark(body.bookmark),
    sort,
    descending,
    fields: parseFields(body.fields),
    useIndex: parseUseIndex(body.use_index),
    conflicts: body.conflicts === true,
    stats: body.execution_stats === true,
    allowFallback: body.allow_fallback !== false
  }
}

function missingKey (key) {
  return createError('BAD_REQUEST', { error: 'missing_required_key', reason: `Missing required key: ${key}` })
}

function count (name, value, standard) {
  if (value === undefined) return standard
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw invalid(`invalid_${name}_json`, `Invalid value for ${name}: ${JSON.stringify(value)}`)
}

function parseSort (sort = []) {
  if (!Array.isArray(sort)) throw invalid('invalid_sort_json', `Sort must be an array of sort specs, not: ${JSON.stringify(sort)}`)
  const pairs = sort.map(each => {
    if (typeof each === 'string') return [each, 'asc']
    const [pair, more] = typeof each === 'object' && each !== null ? Object.entries(each) : []
    if (pair === undefined || more !== undefined || !['asc', 'desc'].includes(pair[1])) throw invalid('invalid_sort_field', `Invalid sort field: ${JSON.stringify(each)}`)
    return pair
  })
  if (new Set(pairs.map(([, direction]) => direction)).size > 1) throw invalid('unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.')
  return { sort: pairs.map(([field]) => field), descending: pairs[0]?.[1] === 'desc' }
}

function parseFields (fields) {
  if (fields === undefined || fields === 'all_fields') return undefined
  if (Array.isArray(fields) && fields.every(field => typeof field === 'string')) return fields.length === 0 ? undefined : fields
  throw invalid('invalid_fields_json', `Fields must be an array of strings, not: ${JSON.stringify(fields)}`)
}

/** @param {any} given a design document's name, or that and a view's */
function parseUseIndex (given = []) {
  const parts = typeof given === 'string' ? given.replace(/^_design\//, '').split('/') : given
  if (!Array.isArray(parts) || parts.length > 2 || parts.some(part => typeof part !== 'string')) {
    throw invalid('invalid_index_name', `Invalid index name: ${JSON.stringify(given)}`)
  }
  return parts.length === 0 || parts[0] === '' ? [] : [`_design/${parts[0].replace(/^_design\//, '')}`, ...parts.slice(1)]
}

/** Where the next page begins. `nil` is CouchDB's word for none. */
function makeBookmark (skip) { return Buffer.from(`skip:${skip}`).toString('base64url') }

function readBookmark (bookmark = 'nil') {
  if (bookmark === 'nil' || bookmark === '') return 0
  const match = typeof bookmark === 'string' && /^skip:(\d{1,15})$/.exec(Buffer.from(bookmark, 'base64url').toString())
  if (!match) throw invalid('invalid_bookmark', `Invalid bookmark value: ${JSON.stringify(bookmark)}`)
  return Number(match[1])
}

function invalid (error, reason) { return createError('BAD_REQUEST', { error, reason }) }

module.exports = { parseFind, makeBookmark, missingKey, invalid }
