'use strict'

const { compareUtf8, isShard } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { isServerAdmin } = require('../../auth/access')
const { databaseInfo } = require('../../databases/database-info')
const { requireObject } = require('../../documents/input')
const { forDatabase, rangeOptions, readRange } = require('../../documents/range-query')
const { SELF, askInside } = require('../../passing/inner-request')
const { etagOfText, notModified, sendJson, sendJsonText } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */

/** The names that `_all_dbs` and `_dbs_info` are asked for: as `_all_docs` of a database of databases. @param {PotorooRequest} req */
function namesFor (req) {
  const { databases } = req.service
  const { keys, startkey, endkey, descending = false, inclusiveEnd = true, skip = 0, limit } = /** @type {any} */ (rangeOptions(forDatabase(null, readRange(req.search))))
  if (keys !== undefined) return keys.filter((/** @type {string} */ name) => databases.has(name) && !isShard(name)).slice(skip, limit === undefined ? undefined : skip + limit)
  const [low, high, withLow, withHigh] = descending ? [endkey, startkey, inclusiveEnd, true] : [startkey, endkey, true, inclusiveEnd]
  const names = databases.list()
  const first = low === undefined ? 0 : countBelow(names, low, !withLow)
  const end = high === undefined ? names.length : countBelow(names, high, withHigh)
  const most = limit ?? names.length
  if (!descending) return names.slice(first + skip, Math.min(end, first + skip + most))
  return names.slice(Math.max(first, end - skip - most), Math.max(first, end - skip)).reverse()
}

/**
 * Counts the names that come before one.
 *
 * @param {readonly string[]} names in order
 * @param {string} bound
 * @param {boolean} inclusive whether the bound itself counts
 */
function countBelow (names, bound, inclusive) {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compareUtf8(names[middle], bound)
    if (order < 0 || (inclusive && order === 0)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * `[chttpd] admin_only_all_dbs` hides the names from all but administrators.
 *
 * @param {{ service: RequestService }} req
 * @returns {import('../../dispatch/route-table').Who}
 */
function lister ({ service }) {
  return service.config.get('chttpd', 'admin_only_all_dbs') === 'false' ? 'anyone' : 'admin'
}

/** Answers with a list, or with 304 to who has it. @param {PotorooResponse} res @param {any[]} list */
function sendTagged (res, list) {
  const text = JSON.stringify(list) + '\n'
  const etag = etagOfText(text)
  if (!notModified(res, etag)) sendJsonText(res, 200, text, { ETag: etag })
}

/**
 * `GET /_all_dbs`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function allDatabases (req, res) {
  sendTagged(res, namesFor(req))
}

/** A database that is deleted meanwhile is not there. @param {PotorooRequest} req @param {string} key @returns {Promise<{ key: string, info?: any, error?: string }>} */
async function infoRow (req, key) {
  const row = await anyInfoRow(req, key)
  // How many documents there are is for those who administer it.
  return row.info?.props.access && !isServerAdmin(req.user) ? { key, error: 'forbidden' } : row
}

/** @param {PotorooRequest} req @param {string} key @returns {Promise<{ key: string, info?: any, error?: string }>} */
async function anyInfoRow (req, key) {
  const { cluster, databases, handle } = req.service
  if (isShard(key)) return { key, error: 'not_found' }
  try {
    if (cluster !== null || databases.sharded(key) !== undefined) return await rowAsAsked(handle, key)
    return { key, info: await databaseInfo(await databases.get(key)) }
  } catch (error) {
    if (error.status === 404 || error.code === 'CLOSED') return { key, error: 'not_found' }
    throw error
  }
}

/**
 * Asks the server itself, where other servers have the database or its shards. The totals of a database are for all who may list it.
 *
 * @param {RequestService['handle']} handle
 * @param {string} key
 */
async function rowAsAsked (handle, key) {
  const answer = await askInside(handle, { url: `/${encodeURIComponent(key)}`, extra: { user: SELF, internal: true } })
  if (answer.ok) return { key, info: await answer.json() }
  answer.close()
  if (answer.status === 404) return { key, error: 'not_found' }
  throw createError('UNAVAILABLE')
}

/**
 * `GET /_dbs_info`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function databasesInfo (req, res) {
  const rows = await infoRows(req, namesFor(req))
  sendTagged(res, rows.filter(row => row.info !== undefined))
}

/** One after another: a thousand databases are not opened at once. @param {PotorooRequest} req @param {string[]} names */
async function infoRows (req, names) {
  const rows = []
  for (const name of names) rows.push(await infoRow(req, name))
  return rows
}

/**
 * `POST /_dbs_info` with `{ keys }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function someDatabasesInfo (req, res) {
  const { keys } = requireObject(req.body)
  if (keys === undefined) throw badRequest('`keys` member must exist.')
  if (!Array.isArray(keys)) throw badRequest('`keys` member must be an array.')
  const { config } = req.service
  if (keys.length > config.integer('chttpd', 'max_db_number_for_dbs_info_req')) throw badRequest('too_many_keys')
  sendJson(res, 200, await infoRows(req, keys))
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_all_dbs', who: lister, owner: 'catalogue', handler: allDatabases },
  { method: 'GET', path: '/_dbs_info', who: lister, owner: 'catalogue', handler: databasesInfo },
  { method: 'POST', path: '/_dbs_info', who: lister, owner: 'catalogue', reads: true, body: 'typed-json', handler: someDatabasesInfo }
]
