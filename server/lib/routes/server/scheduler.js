'use strict'

const { toObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { toId } = require('../../documents/range-query')
const { shownGiven, defaults } = require('@potoroo/replicator')
const { isReplicatorName } = require('../../databases/replications-policy')
const { types } = require('../../http/query')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */

/** Jobs of one answer where none are asked for. */
const JOBS = 100

const STATES = ['initializing', 'error', 'running', 'pending', 'crashing', 'completed', 'failed']

/** States that are over, and stand in the document itself. */
const OVER = new Set(['completed', 'failed'])

/**
 * CouchDB's words for numbers here.
 *
 * @param {string} text
 * @param {string} name
 */
function number (text, name) {
  if (!/^[+-]?\d{1,15}$/.test(text)) throw createError('QUERY_PARSE_ERROR', { reason: `${name} must be an integer` })
  if (Number(text) < 0) throw createError('QUERY_PARSE_ERROR', { reason: `${name} not in range of [0,infinity]` })
  return Number(text)
}

/** @param {string} text */
function states (text) {
  const given = text.toLowerCase().split(',').filter(each => each !== '')
  const unknown = given.filter(each => !STATES.includes(each))
  if (unknown.length === 0) return given
  throw createError('QUERY_PARSE_ERROR', { reason: `Unknown states [${unknown}]. Choose from: [${STATES}]` })
}

/**
 * `GET /_scheduler/jobs` → `{ total_rows, offset, jobs }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function jobs (req, res) {
  const { skip = 0, limit = JOBS } = req.args
  const all = req.service.replicator.jobs()
  const offset = Math.min(skip, all.length)
  sendJson(res, 200, { total_rows: all.length, offset, jobs: all.slice(offset, offset + limit) })
}

/**
 * `GET /_scheduler/jobs/{id}`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function job (req, res) {
  const found = req.service.replicator.job(req.params.job)
  if (found === null) throw createError('MISSING')
  sendJson(res, 200, found)
}

/**
 * `GET /_scheduler/docs[/{database}[/{document}]]`, where a database's name may have slashes.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function docs (req, res) {
  const { name, id } = readPath(req.params.path ?? '_replicator')
  const database = await req.service.databases.get(name)
  if (id === undefined) return sendJson(res, 200, await listDocuments(req, database))
  const described = await describe(req, database, id)
  if (described === null) throw createError('MISSING')
  sendJson(res, 200, described)
}

/** @param {string} path */
function readPath (path) {
  const words = path.split('/')
  const at = words.indexOf('_replicator')
  if (at === -1 && isReplicatorName(decodedOnce(path))) return { name: decodedOnce(path), id: undefined }
  if (at === -1) throw badRequest('Invalid path')
  const id = words.slice(at + 1).join('/')
  return { name: words.slice(0, at + 1).join('/'), id: id === '' ? undefined : id }
}

/** A slash of a name may come encoded. @param {string} text */
function decodedOnce (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** @param {PotorooRequest} req @param {AnyDatabase} database */
async function listDocuments (req, database) {
  const { states: wanted = [], limit = Infinity, skip = 0, descending = false, ...range } = req.args
  const { totalRows, offset, rows } = await database.allDocs({ ...rangeOf(range), descending, includeDocs: true })
  const found = []
  let left = skip
  for await (const page of rows) {
    for (const { document } of /** @type {Array<{ document?: any }>} */ (page)) {
      const described = document && !document.id.startsWith('_design/') ? describeDocument(req.service, database.name, toObject(document)) : null
      if (described === null || (wanted.length > 0 && !wanted.includes(described.state)) || left-- > 0) continue
      if (found.length < limit) found.push(described)
    }
    if (found.length >= limit) break
  }
  return { total_rows: totalRows, offset: /** @type {number} */ (offset) + Math.min(skip, /** @type {number} */ (totalRows)), docs: found }
}

/** @param {Record<string, any>} range */
function rangeOf ({ startkey, start_key: start = startkey, endkey, end_key: end = endkey, inclusive_end: inclusiveEnd }) {
  /** @param {any} key */
  const id = key => key === undefined ? undefined : toId(key)
  return { startkey: id(start), endkey: id(end), inclusiveEnd }
}

/** @param {{ service: RequestService }} req @param {AnyDatabase} database @param {string} id */
async function describe ({ service }, database, id) {
  const active = service.replicator.describeDocument(database.name, id)
  if (active !== null) return active
  const doc = toObject(await database.get(id))
  return describeDocument(service, database.name, doc) ?? describeWaiting(database.name, doc)
}

/** @param {RequestService} service @param {string} database @param {any} doc */
function describeDocument (service, database, doc) {
  if (!OVER.has(doc._replication_state)) return service.replicator.describeDocument(database, doc._id)
  const { start_time: startTime = null, ...stats } = doc._replication_stats ?? {}
  const completed = doc._replication_state === 'completed'
  const time = doc._replication_state_time ?? null
  const reason = doc._replication_state_reason
  return {
    ...describeWaiting(database, doc),
    state: doc._replication_state,
    error_count: completed ? 0 : 1,
    info: completed ? stats : reason === undefined ? null : { error: reason },
    start_time: completed ? startTime : time,
    last_updated: time
  }
}

/** One that the replicator has not seen yet. @param {string} database @param {any} doc */
function describeWaiting (database, doc) {
  return {
    database,
    doc_id: doc._id,
    id: null,
    source: shownGiven(doc.source, defaults),
    target: shownGiven(doc.target, defaults),
    state: null,
    error_count: 0,
    info: null,
    start_time: null,
    last_updated: doc._replication_state_time ?? null
  }
}

/**
 * CouchDB's answer, which gives no reason.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function nothing (req, res) { sendJson(res, 404, { error: 'not found' }) }

const docsQuery = { states, limit: number, skip: number, descending: 'boolean', startkey: types.json, start_key: types.json, endkey: types.json, end_key: types.json, inclusive_end: 'boolean' }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_scheduler/jobs', who: 'admin', owner: '_replicator', query: { limit: number, skip: number }, handler: jobs },
  { method: 'GET', path: '/_scheduler/jobs/:job', who: 'admin', owner: '_replicator', handler: job },
  { method: 'GET', path: '/_scheduler/docs', who: 'admin', owner: '_replicator', query: docsQuery, handler: docs },
  { method: 'GET', path: '/_scheduler/docs/:path+', who: 'admin', owner: '_replicator', query: docsQuery, handler: docs },
  { method: 'GET', path: '/_scheduler', who: 'admin', owner: '_replicator', handler: nothing },
  { method: 'GET', path: '/_scheduler/:rest+', who: 'admin', owner: '_replicator', handler: nothing }
]
