'use strict'

const { MOST_SHARDS, isObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { databaseInfo } = require('../../databases/database-info')
const { locationOf } = require('../../documents/location')
const { sendJson } = require('../../http/response')
const { numberOf } = require('../../stats/metrics')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

const DBINFO = numberOf('couchdb.dbinfo')

/** @param {string} text @returns {number} */
function shards (text) {
  positive(text, 'q')
  if (Number(text) > MOST_SHARDS) throw badRequest(`The \`q\` value should be at most ${MOST_SHARDS}.`)
  return Number(text)
}

/**
 * Checks a number of copies: there is one here, whatever is asked for.
 *
 * @param {string} text
 * @param {string} name
 */
function positive (text, name) {
  if (!/^\+?0*[1-9]\d*$/.test(text)) throw badRequest(`The \`${name}\` value should be a positive integer.`)
}

/** How a database may be made. @type {Record<string, import('../../http/query').ParameterType>} */
const creation = {
  q: shards,
  n: positive,
  /** @param {string} text */
  placement (text) {
    if (!/^[^:,]+:[1-9]\d*(,[^:,]+:[1-9]\d*)*$/.test(text)) throw badRequest('The `placement` value should be in a format `zone:n`.')
    throw createError('NOT_IMPLEMENTED', { reason: 'This server has one node and no zones' })
  },
  /** @param {string} text */
  access (text) {
    if (text !== 'true' && text !== 'false') throw badRequest('The `access` value should be a boolean.')
    return text === 'true'
  },
  /** @param {string} text */
  engine (text) {
    if (text !== 'couch') throw badRequest('invalid_engine_extension')
  },
  /** @param {string} text */
  partitioned (text) {
    if (text !== 'true' && text !== 'false') throw badRequest('Invalid `partitioned` parameter')
    return text === 'true'
  }
}

/** Parameters that any request may come with, and change nothing about what is made. */
const HARMLESS = new Set(['w', 'r', 'buffer_response', 'callback'])

/**
 * A database that is not what it was to be can only be made again, so what is not known is no parameter here. Names that
 * begin with an underscore get by caches.
 *
 * @param {string} search
 */
function requireKnownParameters (search) {
  for (const name of new URLSearchParams(search).keys()) {
    if (!Object.hasOwn(creation, name) && !HARMLESS.has(name) && !name.startsWith('_')) throw badRequest(`Unknown parameter \`${name}\`: this server does not know how to make such a database.`)
  }
}

/**
 * `PUT /{db}` → 201 `{ ok: true }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function createDatabase (req, res) {
  const { db } = req.params
  requireKnownParameters(req.search)
  req.makesDatabase = true
  await req.service.databases.make(db, req.args)
  sendJson(res, 201, { ok: true }, { Location: locationOf(req, db) })
}

/**
 * `DELETE /{db}` → 200 `{ ok: true }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function deleteDatabase (req, res) {
  const { db } = req.params
  if (req.args.rev !== undefined) {
    throw badRequest('You tried to DELETE a database with a ?=rev parameter. Did you mean to DELETE a document instead?')
  }
  await req.service.databases.destroy(db)
  sendJson(res, 200, { ok: true })
}

/**
 * `GET /{db}`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getDatabase (req, res) {
  const startedAt = performance.now()
  const info = await databaseInfo(req.database)
  req.service.counts.note(DBINFO, performance.now() - startedAt)
  sendJson(res, 200, info)
}

/**
 * `POST /{db}/_ensure_full_commit`: what `batch=ok` has taken is written, and, with relaxed durability, flushed.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function ensureFullCommit (req, res) {
  await req.service.batches.settled(req.params.db)
  await req.service.storage.flush()
  const { createdAt } = await req.database.info()
  sendJson(res, 201, { ok: true, instance_start_time: String(Math.floor(createdAt / 1000)) })
}

/**
 * `POST /{db}/_compact` → 202; it goes on after the answer.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function compact (req, res) {
  req.database.compact().catch(fault => { if (fault.code !== 'CLOSED') req.service.log.fault(req, fault) })
  sendJson(res, 202, { ok: true })
}

/**
 * `GET /{db}/_revs_limit`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function getRevsLimit (req, res) {
  sendJson(res, 200, req.database.revsLimit)
}

/**
 * `PUT /{db}/_revs_limit` with a number as its body
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function setRevsLimit (req, res) {
  if (!Number.isSafeInteger(req.body) || req.body < 1) throw badRequest('`rev_limit` must be a positive integer')
  await req.database.setRevsLimit(req.body)
  sendJson(res, 200, { ok: true })
}

/**
 * `GET /{db}/_security`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function getSecurity (req, res) {
  sendJson(res, 200, req.security)
}

/**
 * `PUT /{db}/_security` with the whole object; that of the users' database only where the configuration lets it.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function setSecurity (req, res) {
  const { authSettings, config } = req.service
  if (req.params.db === authSettings.now.database && !config.boolean('couchdb', 'users_db_security_editable')) {
    throw createError('FORBIDDEN', { reason: 'You can\'t edit the security object of the user database.' })
  }
  validateSecurity(req.body)
  await req.service.databases.setSecurity(req.params.db, req.body)
  sendJson(res, 200, { ok: true })
}

/** @param {any} security */
function validateSecurity (security) {
  if (!isObject(security)) throw badRequest('Request body must be a JSON object')
  for (const group of ['admins', 'members', 'readers']) {
    if (security[group] === undefined) continue
    if (!isObject(security[group])) throw badRequest('admins or members must be a JSON list of strings')
    for (const list of ['names', 'roles']) {
      const values = security[group][list]
      if (values === undefined) continue
      if (!Array.isArray(values) || values.some(value => typeof value !== 'string')) {
        throw badRequest(`${list} must be a JSON list of strings`)
      }
    }
  }
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'PUT', path: '/:db', who: 'admin', owner: 'catalogue', database: false, allow: 'DELETE,GET,HEAD,POST', query: creation, handler: createDatabase },
  { method: 'DELETE', path: '/:db', who: 'admin', owner: 'catalogue', database: false, query: { rev: 'string' }, handler: deleteDatabase },
  { method: 'GET', path: '/:db', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, shards: 'info', handler: getDatabase },
  { method: 'POST', path: '/:db/_ensure_full_commit', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, reads: true, body: 'typed-nothing', shards: 'all', handler: ensureFullCommit },
  { method: 'POST', path: '/:db/_compact', who: 'maintainer', body: 'typed-nothing', shards: 'all', handler: compact },
  { method: 'GET', path: '/:db/_revs_limit', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, allow: 'PUT,GET', shards: 'any', handler: getRevsLimit },
  { method: 'PUT', path: '/:db/_revs_limit', who: 'database-admin', whoIn: { users: 'member', replications: 'member' }, body: 'json', shards: 'all', handler: setRevsLimit },
  { method: 'GET', path: '/:db/_security', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, allow: 'PUT,GET', anywhere: true, shards: 'any', handler: getSecurity },
  { method: 'PUT', path: '/:db/_security', who: 'database-admin', whoIn: { users: 'member', replications: 'member' }, body: 'json', shards: 'all', handler: setSecurity }
]
