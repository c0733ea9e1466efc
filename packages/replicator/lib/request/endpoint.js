'use strict'

const { isObject } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')

/** @typedef {import('./replicator-settings').Settings} Settings */

/**
 * One side of a replication: a database here by its name, or one anywhere by its URL.
 *
 * @typedef {object} Endpoint
 * @property {string} [name] of a database here
 * @property {string} [url] without credentials; ends with `/` unless it has a query
 * @property {Array<[string, string]>} [headers] by name
 * @property {{ username: string, password: string } | null} [auth]
 * @property {string | null} [proxy] URL
 */

/**
 * @param {any} given a name, a URL, or `{ url, headers, auth: { basic: { username, password } } }`
 * @param {string} proxy '' where there is none
 * @param {import('./replicator-settings').Settings} settings
 * @returns {Endpoint}
 * @throws what CouchDB says of it, as bad_request
 */
function parseEndpoint (given, proxy, settings) {
  if (given === undefined) throw badRequest('Missing replicator database')
  if (typeof given === 'string') {
    if (/^https?:\/\//.test(given)) return parseRemote({ url: given }, proxy, settings)
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || given === '') throw badRequest('endpoint has an invalid url')
    return { name: given }
  }
  if (!isObject(given)) throw badRequest('endpoint has an invalid url')
  // By its name an object means a database here, as in CouchDB 1.
  if (typeof given.url === 'string' && given.url !== '' && !given.url.includes('://')) return { name: given.url }
  return parseRemote(given, proxy, settings)
}

/**
 * @param {any} given
 * @param {string} proxy
 * @param {Settings} settings
 * @returns {Endpoint}
 */
function parseRemote ({ url: text, headers: given = {}, auth = {} }, proxy, settings) {
  const url = parseUrl(text, settings.valid_endpoint_protocols, 'endpoint')
  if (!isObject(given) || Object.values(given).some(value => typeof value !== 'string')) throw badRequest('`headers` must be an object of strings')
  if (!isObject(auth)) throw badRequest('`auth` must be an object')
  const { headers, basic: fromHeaders } = parseHeaders(given)
  const fromUrl = url.username === '' && url.password === '' ? null : { username: decoded(url.username), password: decoded(url.password) }
  url.username = url.password = ''
  // A database's URL has a name: without one the server itself would be written to.
  if (url.pathname === '/') throw badRequest('endpoint has an invalid url')
  if (url.search === '' && !url.pathname.endsWith('/')) url.pathname += '/'
  url.hash = ''
  return { url: url.href, headers, auth: parseAuth(auth.basic) ?? fromUrl ?? fromHeaders, proxy: parseProxy(proxy, settings) }
}

/** @param {unknown} text @param {string[]} protocols @param {string} what */
function parseUrl (text, protocols, what) {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  if (url === null || !protocols.includes(url.protocol.slice(0, -1))) throw badRequest(`${what} has an invalid url`)
  return url
}

/** @param {string} text @param {Settings} settings */
function parseProxy (text, { valid_proxy_protocols: protocols }) {
  if (text === '') return null
  return parseUrl(text, protocols, 'proxy').href
}

/** @param {any} basic @returns {{ username: string, password: string } | null} */
function parseAuth (basic) {
  if (!isObject(basic) || typeof basic.username !== 'string' || typeof basic.password !== 'string') return null
  return { username: basic.username, password: basic.password }
}

/**
 * Credentials of basic authentication leave the headers, so that one URL with them is the same as another.
 *
 * @param {Record<string, string>} given
 */
function parseHeaders (given) {
  const headers = Object.entries(given).sort(([a], [b]) => a < b ? -1 : 1)
  for (const [name, value] of headers) if (!isHeader(name, value)) throw badRequest('`headers` must be an object of strings')
  const at = headers.findIndex(([name]) => name.toLowerCase() === 'authorization')
  const match = at === -1 ? null : /^basic +([A-Za-z0-9+/=]+)$/i.exec(headers[at][1])
  if (match === null) return { headers, basic: null }
  const text = Buffer.from(match[1], 'base64').toString()
  const colon = text.indexOf(':')
  headers.splice(at, 1)
  return { headers, basic: colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) } }
}

/**
 * Says whether a header is one: node's http throws at others, and some would smuggle a second one in.
 *
 * @param {string} name
 * @param {string} value
 */
function isHeader (name, value) {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

/** @param {string} text */
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest('endpoint has an invalid url')
  }
}

/**
 * How an endpoint is shown: never with credentials.
 * @param {Endpoint} endpoint
 */
function shownEndpoint ({ name, url }) {
  return name ?? /** @type {string} */ (url)
}

/**
 * A proxy's URL without its password, as CouchDB shows it.
 *
 * @param {Endpoint} endpoint
 */
function shownProxy ({ proxy }) {
  if (!proxy) return null
  const url = new URL(proxy)
  url.username = url.password = ''
  return url.href
}

/**
 * The `source` or `target` of a document as others than its owner see it.
 * @param {any} given
 * @returns {any}
 */
function stripCredentials (given) {
  // A password that is not encoded may hold a slash: then the text is no URL, and shown no more than one.
  if (typeof given === 'string') return given.replace(/^(https?:\/\/)(?:[^/?#]*@|[^:/?#]+:[^@]*@)/i, '$1')
  if (!isObject(given)) return given
  const { headers, auth, ...rest } = given
  return typeof rest.url === 'string' ? { ...rest, url: stripCredentials(rest.url) } : rest
}

/**
 * Returns what `_scheduler/docs` shows of the `source` or `target` of a document that is not running.
 * @param {any} given
 * @param {Settings} settings
 * @returns {string | null} null where it cannot be told from a password
 */
function shownGiven (given, settings) {
  try {
    return shownEndpoint(parseEndpoint(given, '', settings))
  } catch {
    return null
  }
}

module.exports = { parseEndpoint, shownEndpoint, shownProxy, shownGiven, stripCredentials, isObject }
