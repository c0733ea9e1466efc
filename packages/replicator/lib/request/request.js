'use strict'

const { badRequest } = require('@potoroo/errors')
const { isObject, parseEndpoint } = require('./endpoint')

/**
 * Reads what a replication is asked to do from CouchDB's form of it.
 * @see https://docs.couchdb.org/en/stable/json-structure.html#replication-settings
 *
 * @typedef {object} ReplicationRequest
 * @property {import('./endpoint').Endpoint} source
 * @property {import('./endpoint').Endpoint} target
 * @property {boolean} continuous
 * @property {boolean} createTarget
 * @property {Record<string, any>} createTargetParams
 * @property {boolean} winningRevsOnly
 * @property {string} [filter] `_design`, `_view` or `design/name`
 * @property {Record<string, any>} [queryParams]
 * @property {Record<string, string>} [query] the same as a query string has them
 * @property {string[]} [docIds] sorted, each once
 * @property {any} [selector]
 * @property {string | number} [sinceSeq]
 * @property {boolean} useCheckpoints
 * @property {boolean} useBulkGet
 * @property {number} workers batches at a time
 * @property {number} batchSize
 * @property {number} connections to each side
 * @property {number} timeout milliseconds without a byte
 * @property {number} retries of each request
 * @property {number} checkpointInterval milliseconds
 */

/** @typedef {Record<string, any>} Body JSON of a request */

/**
 * @param {any} body of `POST /_replicate`, or a document of a `_replicator` database
 * @param {import('./replicator-settings').Settings} settings
 * @returns {ReplicationRequest}
 * @throws bad_request
 */
function parseRequest (body, settings) {
  if (!isObject(body)) throw badRequest('Request body must be a JSON object')
  const { source: sourceProxy, target: targetProxy } = parseProxies(body)
  const flags = parseFlags(body)
  const filters = parseFilters(body)
  return {
    source: parseEndpoint(body.source, sourceProxy, settings),
    target: parseEndpoint(body.target, targetProxy, settings),
    ...flags,
    ...filters,
    sinceSeq: parseSince(body.since_seq),
    ...parseNumbers(body, settings),
    useCheckpoints: body.use_checkpoints ?? settings.use_checkpoints,
    useBulkGet: flag(body, 'use_bulk_get', settings.use_bulk_get)
  }
}

/** @param {Body} body */
function parseFlags (body) {
  flag(body, 'cancel')
  const { create_target_params: createTargetParams = {}, use_checkpoints: useCheckpoints } = body
  if (!isObject(createTargetParams)) throw badRequest('parameter `create_target_params` must be a JSON object')
  if (useCheckpoints !== undefined && typeof useCheckpoints !== 'boolean') throw badRequest('parameter `use_checkpoints` must be a boolean')
  return {
    createTarget: flag(body, 'create_target'),
    createTargetParams,
    continuous: flag(body, 'continuous'),
    winningRevsOnly: flag(body, 'winning_revs_only')
  }
}

/** @param {Body} body */
function parseProxies ({ proxy = '', source_proxy: source = '', target_proxy: target = '' }) {
  if ([proxy, source, target].some(each => typeof each !== 'string')) throw badRequest('Invalid proxy url')
  if (proxy === '') return { source, target }
  if (source !== '') throw badRequest('`proxy` is mutually exclusive with `source_proxy`')
  if (target !== '') throw badRequest('`proxy` is mutually exclusive with `target_proxy`')
  return { source: proxy, target: proxy }
}

/** @param {Body} body */
function parseFilters ({ filter, query_params: queryParams, doc_ids: given, selector }) {
  const docIds = given === null ? undefined : given
  if (docIds !== undefined && !(Array.isArray(docIds) && docIds.every(id => typeof id === 'string'))) throw badRequest('parameter `doc_ids` must be an array')
  if (selector !== undefined && !isObject(selector)) throw badRequest('parameter `selector` must be a JSON object')
  if (queryParams !== undefined && !isObject(queryParams)) throw badRequest('parameter `query_params` must be an object')
  if ([docIds, filter, selector].filter(each => each !== undefined).length > 1) throw badRequest('`doc_ids`,`filter`,`selector` are mutually exclusive')
  if (filter !== undefined) checkFilter(filter, queryParams)
  return { filter, queryParams, query: asTexts(queryParams), selector, docIds: docIds && [...new Set(docIds.map(unquoted))].sort(byBytes) }
}

/** @param {unknown} filter @param {Record<string, any> | undefined} queryParams */
function checkFilter (filter, queryParams) {
  if (typeof filter !== 'string' || !(filter.startsWith('_') || filter.includes('/'))) throw badRequest('Invalid filter. Must match `ddocname/filtername`.')
  if (filter === '_view' && String(queryParams?.view).split('/').length !== 2) throw badRequest('Invalid `view` parameter.')
}

/**
 * Parameters may be any JSON.
 *
 * @param {Record<string, any> | undefined} queryParams
 * @returns {Record<string, string> | undefined}
 */
function asTexts (queryParams) {
  if (queryParams === undefined) return undefined
  return Object.fromEntries(Object.entries(queryParams).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]))
}

/**
 * Ids may come encoded as in a form, as ever: a plus sign is a space.
 *
 * @param {string} id
 */
function unquoted (id) {
  const spaced = id.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** @param {string} a @param {string} b */
function byBytes (a, b) { return Buffer.compare(Buffer.from(a), Buffer.from(b)) }

/** @param {any} since @returns {string | number | undefined} */
function parseSince (since) {
  if (since === undefined || typeof since === 'string' || (Number.isSafeInteger(since) && since >= 0)) return since
  throw badRequest('`since_seq` must be an update sequence')
}

/** Members that are whole numbers, and the least and most that is taken. @type {Record<string, [keyof import('./replicator-settings').Settings, number, number]>} */
const numbers = {
  workers: ['worker_processes', 1, 100],
  batchSize: ['worker_batch_size', 1, 10000],
  connections: ['http_connections', 2, 1000], // one is taken by the feed
  timeout: ['connection_timeout', 1, 2 ** 31 - 1],
  retries: ['retries_per_request', 0, 100],
  checkpointInterval: ['checkpoint_interval', 1, 2 ** 31 - 1]
}

/**
 * @param {Body} body
 * @param {import('./replicator-settings').Settings} settings
 * @returns {any}
 */
function parseNumbers (body, settings) {
  return Object.fromEntries(Object.entries(numbers).map(([name, [member, least, most]]) => {
    const given = body[member] ?? settings[member]
    const number = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given
    if (!Number.isSafeInteger(number) || number < 0) throw badRequest(`parameter \`${member}\` must be an integer`)
    return [name, Math.min(Math.max(number, least), most)]
  }))
}

/** @param {Body} body @param {string} name @param {boolean} [otherwise] */
function flag (body, name, otherwise = false) {
  const value = body[name]
  if (value === undefined) return otherwise
  if (typeof value === 'boolean') return value
  throw badRequest(`parameter \`${name}\` must be a boolean`)
}

module.exports = { parseRequest }
