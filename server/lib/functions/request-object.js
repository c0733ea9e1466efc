'use strict'

const { publicName } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { clientAddress } = require('../auth/client-address')
const { readBody } = require('../http/body')
const { databaseInfo } = require('../databases/database-info')
const { types } = require('../http/query')

/** @typedef {import('../config/config').Config} Config */

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */

/** Headers that tell who asks: functions are not to know how somebody proves it. */
const SECRETS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-auth-couchdb-token', 'x-auth-couchdb-username', 'x-auth-couchdb-roles'])

/** Parameters that functions get as values. */
const IN_JSON = new Set(['startkey', 'endkey', 'key', 'descending'])

/**
 * The request as functions of design documents see it.
 *
 * @param {PotorooRequest} req a request, as handlers have it
 * @param {object} about
 * @param {import('../databases/database-view').AnyDatabase} about.store
 * @param {string | null} [about.id] of the document that is asked for
 * @param {any} about.body text, or JSON
 * @returns {Promise<Record<string, any>>}
 * @throws bad_request where a parameter should be JSON and is not
 * @see https://docs.couchdb.org/en/stable/json-structure.html#request-object
 */
async function requestObject (req, { store, id = null, body }) {
  return {
    info: await databaseInfo(store),
    uuid: req.service.uuids.make(1)[0],
    id,
    ...await routedRequest(req, { store, body, form: formOf(req, body) })
  }
}

/**
 * The same without what only a database or a document tells, as rewrite functions see it.
 *
 * @param {PotorooRequest} req
 * @param {{ store: AnyDatabase, body: any, form?: any }} about
 */
async function routedRequest (req, { store, body, form = undefined }) {
  const { config, databases } = req.service
  return {
    method: req.method === 'HEAD' ? 'GET' : req.method,
    requested_path: partsOf(req.headers['x-couchdb-vhost-path'] ?? req.headers['x-couchdb-requested-path'] ?? shownUrl(req)),
    path: partsOf(shownUrl(req).split('?', 1)[0]),
    raw_path: shownUrl(req),
    query: queryOf(req.search),
    headers: headersOf(req, config),
    body,
    peer: peerOf(req),
    ...(form !== undefined && { form }),
    cookie: scrubs(config) ? {} : cookiesOf(req.headers.cookie ?? ''),
    userCtx: { db: publicName(store.name), name: req.user.name, roles: req.user.roles },
    secObj: await databases.security(await databases.get(store.name))
  }
}

/** The URL with the database that a shard is of. @param {PotorooRequest} req */
function shownUrl ({ url, inShard }) {
  return inShard ? url.replace(/^\/[^/?]+/, name => `/${encodeURIComponent(publicName(decodeURIComponent(name.slice(1))))}`) : url
}

/** @param {PotorooRequest} req @returns {Promise<string>} the body as functions get it */
async function bodyText (req) { return textOf(await bodyBytes(req)) }

/** One that is not there is `undefined`, in letters. @param {Buffer | undefined} bytes */
function textOf (bytes) { return String(bytes) }

/** @param {PotorooRequest} req @returns {Promise<Buffer | undefined>} the body as it came, undefined where there is none */
async function bodyBytes (req) {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined) return undefined
  // No function could see what its memory does not hold.
  const { config, jsonLimit } = req.service
  return readBody(req, Math.min(jsonLimit, config.integer('query_server_config', 'os_process_memory')))
}

/** @param {string} path */
function partsOf (path) { return path.split('/').filter(part => part !== '').map(decoded) }

/** @param {string} part */
function decoded (part) {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch (cause) {
    throw createError('BAD_REQUEST', { reason: 'Invalid URL encoding', cause })
  }
}

/** @param {string} search */
function queryOf (search) {
  const query = {}
  if (search === '') return query
  for (const [name, text] of new URLSearchParams(search)) define(query, name, IN_JSON.has(name) ? types.json(text, name) : text)
  return query
}

/** A name may be `__proto__`. @param {object} object @param {string} name @param {any} value */
function define (object, name, value) { Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true }) }

/** @param {Config} config */
function scrubs (config) { return config.get('chttpd', 'scrub_json_request') !== 'false' }

/** @param {PotorooRequest} req @param {Config} config */
function headersOf (req, config) {
  const headers = {}
  const keepsSecrets = scrubs(config)
  for (const name of Object.keys(req.headers).sort()) {
    if (keepsSecrets && SECRETS.has(name)) continue
    const value = req.headers[name]
    define(headers, titled(name), Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

/** Names of headers in CouchDB's capitals, but not those that somebody makes up without end. @type {Map<string, string>} */
const titles = new Map()
const MOST_TITLES = 500

/** @param {string} name */
function titled (name) {
  const known = titles.get(name)
  if (known !== undefined) return known
  const title = name.replace(/(?:^|-)[a-z]/g, letters => letters.toUpperCase())
  if (titles.size < MOST_TITLES) titles.set(name, title)
  return title
}

/** @param {PotorooRequest} req */
function peerOf (req) { return clientAddress(req, req.service.authSettings.now.peers).replace(/^::ffff:(?=\d)/, '') }

/** @param {PotorooRequest} req @param {any} body */
function formOf (req, body) {
  const isForm = (req.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  const form = {}
  if (!isForm || typeof body !== 'string' || (req.method !== 'POST' && req.method !== 'PUT')) return form
  for (const [name, text] of new URLSearchParams(body)) define(form, name, text)
  return form
}

/** @param {string} header */
function cookiesOf (header) {
  const cookies = {}
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0) define(cookies, pair.slice(0, equals).trim(), pair.slice(equals + 1).trim())
  }
  return cookies
}

module.exports = { bodyBytes, bodyText, textOf, requestObject, routedRequest }
