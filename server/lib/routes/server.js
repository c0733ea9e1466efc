'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { readBanner } = require('../banner')
const { databaseInfo } = require('../database-info')
const { sendJson } = require('../response')

const NODE = 'nonode@nohost'

const range = { startkey: 'json', start_key: 'json', endkey: 'json', end_key: 'json', inclusive_end: 'boolean', limit: 'count', skip: 'count', descending: 'boolean' }

/** `GET /` */
function welcome (req, res) {
  const { couchdb, version } = readBanner()
  const { config } = req.service
  sendJson(res, 200, {
    couchdb: 'Welcome',
    version: couchdb,
    git_sha: version,
    uuid: config.get('couchdb', 'uuid'),
    features: [],
    vendor: { ...config.section('vendor'), version }
  })
}

/** `GET /_up` */
function up (req, res) {
  sendJson(res, 200, { status: 'ok', seeds: {} })
}

/** CouchDB words it otherwise than other numbers. */
function uuidCount (text) {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw createError('BAD_REQUEST', { reason: 'count must be a positive integer' })
}

/** `GET /_uuids?count=n` */
function uuids (req, res) {
  const { count = 1 } = req.args
  const most = req.service.config.integer('uuids', 'max_count')
  if (count > most) throw createError('BAD_REQUEST', { reason: 'count parameter too large' })
  const list = Array.from({ length: count }, () => crypto.randomUUID().replaceAll('-', ''))
  sendJson(res, 200, { uuids: list }, { 'Cache-Control': 'no-cache, must-revalidate', Pragma: 'no-cache', Expires: 'Fri, 01 Jan 1990 00:00:00 GMT', ETag: `"${list[0] ?? ''}"` })
}

/** The names of a range, as `_all_dbs` and `_dbs_info` select them. */
function selectNames (names, { descending = false, inclusive_end: inclusive = true, skip = 0, limit, ...args }) {
  const start = args.startkey ?? args.start_key
  const end = args.endkey ?? args.end_key
  const [low, high, includeLow, includeHigh] = descending ? [end, start, inclusive, true] : [start, end, true, inclusive]
  const selected = names.filter(name =>
    (low === undefined || (includeLow ? name >= low : name > low)) &&
    (high === undefined || (includeHigh ? name <= high : name < high)))
  if (descending) selected.reverse()
  return selected.slice(skip, limit === undefined ? undefined : skip + limit)
}

/** `GET /_all_dbs` */
function allDatabases (req, res) {
  sendJson(res, 200, selectNames(req.service.databases.list(), req.args))
}

async function infoRow (databases, key) {
  if (!databases.has(key)) return { key, error: 'not_found' }
  return { key, info: await databaseInfo(await databases.get(key)) }
}

/** `GET /_dbs_info` */
async function databasesInfo (req, res) {
  const { databases } = req.service
  sendJson(res, 200, await Promise.all(selectNames(databases.list(), req.args).map(name => infoRow(databases, name))))
}

/** `POST /_dbs_info` with `{ keys }` */
async function someDatabasesInfo (req, res) {
  const { keys } = req.body ?? {}
  if (!Array.isArray(keys)) throw createError('BAD_REQUEST', { reason: '`keys` member must exist.' })
  if (keys.length > 100) throw createError('BAD_REQUEST', { reason: 'too_many_keys' })
  sendJson(res, 200, await Promise.all(keys.map(name => infoRow(req.service.databases, name))))
}

/** `GET /_membership` */
function membership (req, res) {
  sendJson(res, 200, { all_nodes: [NODE], cluster_nodes: [NODE] })
}

function favicon (req, res) {
  res.statusCode = 204
  res.setHeader('Cache-Control', 'public, max-age=31536000')
  res.end()
}

module.exports = [
  { method: 'GET', path: '/', who: 'anyone', handler: welcome },
  { method: 'GET', path: '/_up', who: 'anyone', handler: up },
  { method: 'GET', path: '/_uuids', who: 'anyone', query: { count: uuidCount }, handler: uuids },
  { method: 'GET', path: '/_all_dbs', who: 'admin', query: range, handler: allDatabases },
  { method: 'GET', path: '/_dbs_info', who: 'admin', query: range, handler: databasesInfo },
  { method: 'POST', path: '/_dbs_info', who: 'admin', body: 'typed-json', handler: someDatabasesInfo },
  { method: 'GET', path: '/_membership', who: 'admin', handler: membership },
  { method: 'GET', path: '/favicon.ico', who: 'anyone', handler: favicon }
]
