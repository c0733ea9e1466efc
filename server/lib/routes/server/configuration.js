'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { parseAdmin } = require('../../users/password')
const { fault } = require('../../config/checks')
const { isWhitelisted } = require('../../config/whitelist')
const { requireNode } = require('../../service/node-name')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../config/config').Config} Config */

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */

/** Sections that would make the server run what they say; CouchDB lets nobody change them over HTTP. */
const LOCKED = new Set(['daemons', 'external', 'httpd_design_handlers', 'httpd_db_handlers', 'httpd_global_handlers',
  'native_query_servers', 'os_daemons', 'query_servers', 'feature_flags'])

/**
 * `GET /_node/{node}/_config`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function getConfig (req, res) {
  requireNode(req.params.node)
  const all = req.service.config.all()
  sendJson(res, 200, { ...all, couchdb: shownSection(req.service, 'couchdb') })
}

/**
 * `GET /_node/{node}/_config/{section}`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function getSection (req, res) {
  requireNode(req.params.node)
  sendJson(res, 200, shownSection(req.service, req.params.section))
}

/** @param {{ config: Config }} given @param {string} name */
function setSection ({ config }, name) { return config.texts(name) }

/**
 * A section as it is set, and in `couchdb` the folder where databases and indexes are.
 *
 * @param {{ config: Config, folder: string | undefined }} given
 * @param {string} name
 */
function shownSection ({ config, folder }, name) {
  const section = config.texts(name)
  if (name !== 'couchdb' || folder === undefined) return section
  return { ...section, database_dir: folder, view_index_dir: folder }
}

/** @param {PotorooRequest} req @param {(service: RequestService, name: string) => Record<string, string>} [sectionOf] */
function currentValue ({ params, service }, sectionOf = setSection) {
  requireNode(params.node)
  const values = sectionOf(service, params.section)
  return Object.hasOwn(values, params.key) ? values[params.key] : undefined
}

/**
 * `GET /_node/{node}/_config/{section}/{key}`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function getValue (req, res) {
  const value = currentValue(req, shownSection)
  if (value === undefined) throw createError('MISSING', { reason: 'unknown_config_value' })
  sendJson(res, 200, value)
}

/** Refuses what may not be changed over HTTP. @param {import('../../dispatch/request').PotorooRequest} req */
function requireChangeable ({ params: { section, key }, service: { config } }) {
  if (LOCKED.has(section)) throw createError('FORBIDDEN', { reason: 'Config section blacklisted for modification over HTTP API.' })
  if (!isWhitelisted(config.get('chttpd', 'config_whitelist'), section, key)) {
    throw createError('BAD_REQUEST', { error: 'modification_not_allowed', reason: 'This config variable is read-only' })
  }
}

/**
 * `PUT /_node/{node}/_config/{section}/{key}` with the new value, a JSON string → the old one
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function setValue (req, res) {
  const { section, key } = req.params
  const before = currentValue(req)
  requireChangeable(req)
  if (typeof req.body !== 'string') throw badRequest('a JSON string expected')
  const value = req.body.trim()
  requireStorable(section, key, value)
  const { config, users } = req.service
  if (section === 'admins' && parseAdmin(value) === null) await users.setAdmin(key, value, options(req))
  else config.set(section, key, value, options(req))
  await config.saved()
  sendJson(res, 200, before ?? '')
}

/**
 * Only what reads back from the ini file as it was written, and makes sense.
 *
 * @param {string} section
 * @param {string} key
 * @param {string} value
 */
function requireStorable (section, key, value) {
  if (!isName(section)) throw badRequest('Invalid configuration section')
  if (!isName(key) || key.includes(' = ') || key.endsWith(' =') || key.startsWith('=')) throw badRequest('Invalid configuration key')
  if (!isVisible(value) || hasComment(value)) throw badRequest('Invalid configuration value')
  const wrong = fault(section, key, value)
  if (wrong !== null) throw badRequest(`Invalid configuration value: ${wrong}`)
}

/** @param {string} text */
function isVisible (text) { return !/[^\P{C}\t]/u.test(text) }

/** @param {string} text */
function hasComment (text) { return /[ \t];/.test(text) }

/** @param {string} text */
function isName (text) {
  return text === text.trim() && text !== '' && isVisible(text) && !hasComment(text) && !/[[\]]/.test(text) && !/^[;#]/.test(text)
}

/** `X-Couch-Persist: false`: until the file is read again. @param {PotorooRequest} req */
function options (req) { return { persist: req.headers['x-couch-persist'] !== 'false' } }

/**
 * `DELETE /_node/{node}/_config/{section}/{key}` → the old value
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function deleteValue (req, res) {
  const before = currentValue(req)
  requireChangeable(req)
  if (before === undefined) throw createError('MISSING', { reason: 'unknown_config_value' })
  const { config } = req.service
  config.delete(req.params.section, req.params.key, options(req))
  await config.saved()
  sendJson(res, 200, before)
}

/**
 * `POST /_node/{node}/_config/_reload`: for who edited the file; changes over HTTP are in force at once.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function reload (req, res) {
  requireNode(req.params.node)
  try {
    req.service.config.reload()
  } catch (error) {
    throw error.code === 'CONFIG_DAMAGED' ? badRequest(error.message) : error
  }
  sendJson(res, 200, { ok: true })
}

const value = '/_node/:node/_config/:section/:key'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_node/:node/_config', who: 'admin', allow: 'GET', handler: getConfig },
  { method: 'POST', path: '/_node/:node/_config/_reload', who: 'admin', handler: reload },
  { method: 'GET', path: '/_node/:node/_config/:section', who: 'admin', allow: 'GET', handler: getSection },
  { method: 'GET', path: value, who: 'admin', allow: 'GET,PUT,DELETE', handler: getValue },
  { method: 'PUT', path: value, who: 'admin', owner: 'catalogue', body: 'json', handler: setValue },
  { method: 'DELETE', path: value, who: 'admin', owner: 'catalogue', handler: deleteValue }
]
