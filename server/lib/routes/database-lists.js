'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { databaseInfo } = require('../databases/database-info')
const { requireObject } = require('../documents/input')
const { forDatabase, rangeOptions, readRange } = require('../documents/range-query')
const { etagOfText, notModified, sendJson, sendJsonText } = require('../http/response')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../service/request-service').RequestService} RequestService */
/** @typedef {import('../service/request-service').RequestDatabases} RequestDatabases */

/** The names that `_all_dbs` and `_dbs_info` are asked for: as `_all_docs` of a database of databases. @param {PotorooRequest} req */
function namesFor (req) {
  const { databases } = req.service
  const { keys, startkey, endkey, descending = false, inclusiveEnd = true, skip = 0, limit } = /** @type {any} */ (rangeOptions(forDatabase(null, readRange(req.search))))
  if (keys !== undefined) return keys.filter((/** @type {string} */ name) => databases.has(name)).slice(skip, limit === undefined ? undefined : skip + limit)
  const [low, high, withLow, withHigh] = descending ? [endkey, startkey, inclusiveEnd, true] : [startkey, endkey, true, inclusiveEnd]
  const selected = databases.list().filter(name => isWithin(name, low, withLow, 1) && isWithin(name, high, withHigh, -1))
  if (descending) selected.reverse()
  return selected.slice(skip, limit === undefined ? undefined : skip + limit)
}

/**
 * Whether a name lies on one side of a bound, or on it.
 *
 * @param {string} name
 * @param {string | undefined} bound
 * @param {boolean} inclusive
 * @param {1 | -1} side
 */
function isWithin (name, bound, inclusive, side) {
  if (bound === undefined) return true
  const order = side * compareUtf8(name, bound)
  return inclusive ? order >= 0 : order > 0
}

/**
 * `[chttpd] admin_only_all_dbs` hides the names from all but administrators.
 *
 * @param {{ service: RequestService }} req
 * @returns {import('../dispatch/route-table').Who}
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

/** A database that is deleted meanwhile is not there. @param {RequestDatabases} databases @param {string} key */
async function infoRow (databases, key) {
  try {
    return { key, info: await databaseInfo(await databases.get(key)) }
  } catch (error) {
    if (error.status === 404 || error.code === 'CLOSED') return { key, error: 'not_found' }
    throw error
  }
}

/**
 * `GET /_dbs_info`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function databasesInfo (req, res) {
  const rows = await infoRows(req.service.databases, namesFor(req))
  sendTagged(res, rows.filter(row => row.info !== undefined))
}

/** One after another: a thousand databases are not opened at once. @param {RequestDatabases} databases @param {string[]} names */
async function infoRows (databases, names) {
  const rows = []
  for (const name of names) rows.push(await infoRow(databases, name))
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
  if (keys === undefined) throw createError('BAD_REQUEST', { reason: '`keys` member must exist.' })
  if (!Array.isArray(keys)) throw createError('BAD_REQUEST', { reason: '`keys` member must be an array.' })
  const { config, databases } = req.service
  if (keys.length > config.integer('chttpd', 'max_db_number_for_dbs_info_req')) throw createError('BAD_REQUEST', { reason: 'too_many_keys' })
  sendJson(res, 200, await infoRows(databases, keys))
}

/** @type {import('../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_all_dbs', who: lister, handler: allDatabases },
  { method: 'GET', path: '/_dbs_info', who: lister, handler: databasesInfo },
  { method: 'POST', path: '/_dbs_info', who: lister, reads: true, body: 'typed-json', handler: someDatabasesInfo }
]
