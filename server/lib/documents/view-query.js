'use strict'

const { isObject, mapInTurns, validatePartition } = require('@potoroo/document-store')
const { badRequest, createError, printTerm, printText } = require('@potoroo/errors')
const { types } = require('../http/query')
const { requireObject } = require('./input')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** The highest limit that there is. */
const MOST = 576460752303423487n

/**
 * How views may be asked. Parameters come in an order in which the last word counts: `key` says where
 * to start and where to end, and an `endkey` after it where to end instead. A body comes before the
 * query string. There values are text, and in a body JSON.
 *
 * @typedef {Record<string, any>} ViewArgs options of `Views.query`
 * @type {Record<string, (args: ViewArgs, value: any, isText: boolean) => void>}
 */
const parameters = {
  key (args, key) { args.startkey = args.endkey = key },
  keys (args, keys) {
    if (Array.isArray(keys) && keys.length === 1) args.startkey = args.endkey = keys[0]
    else args.keys = keys
  },
  startkey (args, key) { args.startkey = key },
  endkey (args, key) { args.endkey = key },
  /** @param {string} id */
  startkey_docid (args, id) { args.startkey_docid = toText(id) },
  /** @param {string} id */
  endkey_docid (args, id) { args.endkey_docid = toText(id) },
  stale (args, value) { args.update = oneOf('stale', value, { ok: false, update_after: 'lazy' }) },
  stable (args, value) { oneOf('stable', value, { true: true, false: false }) },
  update (args, value) { args.update = oneOf('update', value, { true: true, false: false, lazy: 'lazy' }) },
  at (args, value) { args.at = value },
  partition (args, value) {
    const partition = validatePartition(toText(value))
    // That of the path would not hold for one of several queries.
    if (args.partition !== undefined && args.partition !== partition) throw badRequest('Conflicting value for `partition`')
    args.partition = partition
  },
  limit (args, value, isText) { args.limit = toLimit(value, isText) },
  ...ofType(toCount, 'skip', 'group_level'),
  ...ofType(toBoolean, 'reduce', 'group', 'descending', 'inclusive_end', 'include_docs', 'conflicts', 'attachments', 'att_encoding_info', 'update_seq', 'sorted', 'meta')
}

const aliases = new Map([['start_key', 'startkey'], ['end_key', 'endkey'], ['start_key_doc_id', 'startkey_docid'], ['end_key_doc_id', 'endkey_docid']])
const inJson = new Set(['key', 'keys', 'startkey', 'endkey'])

/** @param {(value: any, isText: boolean) => any} convert @param {...string} names @returns {Record<string, (args: ViewArgs, value: any, isText: boolean) => void>} */
function ofType (convert, ...names) {
  return Object.fromEntries(names.map(name => [name, (args, value, isText) => { args[name] = convert(value, isText) }]))
}

/** @param {any} value */
function toBoolean (value) {
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw invalid(`Invalid boolean parameter: ${inErlang(value, typeof value === 'string')}`)
}

/** @param {any} value @param {boolean} isText */
function toCount (value, isText) {
  const number = isText && /^[+-]?\d+$/.test(value) ? Number(value) : value
  if (!Number.isInteger(number)) throw invalid(`Invalid value for integer: ${inErlang(value, isText)}`)
  if (number < 0) throw invalid(`Invalid value for positive integer: ${inErlang(value, isText)}`)
  return number
}

/** @param {any} value @param {boolean} isText */
function toLimit (value, isText) {
  const limit = toCount(value, isText)
  if (limit > MOST) throw invalid(`Limit is too large, must not exceed ${MOST}`)
  return limit
}

/** @param {string} name @param {any} value @param {Record<string, any>} meanings */
function oneOf (name, value, meanings) {
  const word = typeof value === 'boolean' ? String(value) : value
  if (typeof word !== 'string' || !Object.hasOwn(meanings, word)) throw invalid(`Invalid value for \`${name}\`.`)
  return meanings[word]
}

/** CouchDB takes any JSON for a text. @param {any} value */
function toText (value) { return typeof value === 'string' ? value : printTerm(value) }

/** @param {any} value @param {boolean} isText */
function inErlang (value, isText) { return isText ? printText(value) : printTerm(value) }

/** @param {string} reason */
function invalid (reason) { return createError('QUERY_PARSE_ERROR', { reason }) }

/**
 * @param {string} search a query string, without `?`
 * @param {ViewArgs} [args] what it adds to
 * @returns {ViewArgs}
 */
function readViewQuery (search, args = {}) {
  if (search === '') return args
  for (const [given, text] of new URLSearchParams(search)) {
    const name = aliases.get(given) ?? given
    if (Object.hasOwn(parameters, name)) parameters[name](args, inJson.has(name) ? types.json(text, name) : text, true)
  }
  return args
}

/**
 * @param {Record<string, any>} body
 * @param {ViewArgs} [args] what it adds to
 * @returns {ViewArgs}
 */
function readViewBody (body, args = {}) {
  for (const given of Object.keys(body)) {
    const name = aliases.get(given) ?? given
    if (Object.hasOwn(parameters, name)) parameters[name](args, body[given], false)
  }
  return args
}

/**
 * Holds an answer to what `[query_server_config] query_limit` allows, or `partition_query_limit`: no more rows unless fewer are asked for.
 *
 * @param {ViewArgs} args
 * @param {import('../config/config').Config} config
 * @returns {ViewArgs} the same
 * @throws query_parse_error where more are asked for
 */
function limitRows (args, config) {
  const text = config.get('query_server_config', args.partition === undefined ? 'query_limit' : 'partition_query_limit')
  if (!/^\d+$/.test(text)) return args
  const most = Number(text)
  args.limit ??= most
  if (args.limit > most) throw invalid(`Limit is too large, must not exceed ${most}`)
  return args
}

/**
 * How a request asks a view: by its query, and of a POST by its body, which goes before.
 *
 * @param {PotorooRequest} req
 * @returns {ViewArgs}
 */
function readView ({ method, search, body, service }) {
  if (method !== 'POST') return limitRows(readViewQuery(search), service.config)
  requireArray(requireObject(body), 'queries')
  if (body.queries !== undefined) throw badRequest('The `queries` parameter is no longer supported at this endpoint')
  requireArray(body, 'keys')
  return limitRows(readViewQuery(search, readViewBody(body)), service.config)
}

/** The same of several queries at once. @param {PotorooRequest} req @returns {Promise<ViewArgs[]>} */
async function readViewQueries ({ search, body, service }) {
  const queries = requireQueries(body)
  // Parameters of all of them, except for keys and groups, which are each query's own.
  const { keys, group, group_level: level, ...common } = readViewQuery(search)
  return mapInTurns(queries, query => limitRows(readViewBody(query, { ...common }), service.config))
}

/** @param {any} body @returns {any[]} its queries */
function requireQueries (body) {
  requireArray(requireObject(body), 'queries')
  if (body.queries === undefined) throw badRequest('POST body must include `queries` parameter.')
  if (!body.queries.every(isObject)) throw badRequest('`queries` member must be an array of objects.')
  return body.queries
}

/** @param {any} body @param {string} name */
function requireArray (body, name) {
  if (body[name] !== undefined && !Array.isArray(body[name])) throw badRequest(`\`${name}\` member must be an array.`)
}

module.exports = { limitRows, readView, readViewBody, readViewQueries, readViewQuery, requireQueries }
