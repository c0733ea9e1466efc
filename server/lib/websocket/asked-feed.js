'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { segmentsOf } = require('../http/path')
const { searchOf } = require('../http/query')
const { isOwn } = require('../safety/request-origin')

/**
 * The request that a WebSocket stands for: one for the continuous feed.
 *
 * @typedef {object} AskedFeed
 * @property {string} method GET, or POST where its body is the first message
 * @property {string} url
 * @property {Record<string, any>} headers
 * @property {string[]} rawHeaders
 */

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Headers that the feed's request must not have: those of the upgrade itself, of a body, and of answers that are no feeds. */
const NOT_ASKED = new Set(['connection', 'content-length', 'content-encoding', 'transfer-encoding', 'expect', 'range', 'if-none-match', 'last-event-id', 'x-http-method-override'])

/** The same, and the credentials that a browser adds to the requests of any page. */
const NOT_ASKED_OF_OTHERS = new Set([...NOT_ASKED, 'cookie', 'authorization'])

/**
 * @param {import('node:http').IncomingMessage} req that asks for a WebSocket
 * @param {{ config: import('../config/config').Config, cors: import('../http/cors').Cors }} service
 * @returns {AskedFeed}
 * @throws bad_request, forbidden
 */
function askedFeed (req, service) {
  requireHandshake(req)
  const url = req.url ?? ''
  const question = url.indexOf('?')
  const args = new URLSearchParams(question === -1 ? '' : searchOf(url.slice(question + 1)))
  // The first of several values counts, as for all requests.
  const method = args.get('feed') === 'websocket' ? methodOf(url.slice(0, question), args) : undefined
  if (method === undefined) throw badRequest('A WebSocket is for _changes and _find, with feed=websocket')
  const dropped = mayUseCredentials(req, service) ? NOT_ASKED : NOT_ASKED_OF_OTHERS
  args.set('feed', 'continuous')
  if (!args.has('heartbeat') && !args.has('timeout')) args.set('heartbeat', 'true')
  return {
    method,
    url: `${url.slice(0, question)}?${args}`,
    headers: { ...without(req.headers, dropped), accept: 'application/json', ...(method === 'POST' && { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }) },
    rawHeaders: pairsWithout(req.rawHeaders, dropped)
  }
}

/** @param {import('node:http').IncomingMessage} req */
function requireHandshake ({ headers }) {
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) throw badRequest('Sec-WebSocket-Key is 16 bytes in base64')
  if (headers['sec-websocket-version'] !== '13') throw Object.assign(badRequest('Sec-WebSocket-Version is 13'), { headers: { 'Sec-WebSocket-Version': '13' } })
}

/** Finds the method of the route that a WebSocket is for. @param {string} path @param {URLSearchParams} args @returns {string | undefined} */
function methodOf (path, args) {
  // The routes require what tells of a transport.
  const { table } = require('../dispatch/routes')
  const methods = path.startsWith('/') ? table.find(segmentsOf(path))?.methods : undefined
  return ['GET', 'POST'].find(method => methods?.get(method)?.webSocket?.(args))
}

/**
 * Tells whether a request keeps its credentials. A browser sends cookies with a WebSocket of any page, and lets the page read the
 * messages. So the page has to be of this server, or of an origin that may use credentials. A page of another origin that `[cors]`
 * admits is served without credentials.
 *
 * @param {any} req
 * @param {{ config: import('../config/config').Config, cors: import('../http/cors').Cors }} service
 * @throws forbidden
 */
function mayUseCredentials (req, { config, cors }) {
  const { origin } = req.headers
  if (origin === undefined || isOwn(origin, req, config) || cors.allows(origin)) return true
  if (cors.admits(origin)) return false
  throw createError('FORBIDDEN', { reason: 'A page of another origin may not open a WebSocket. See [cors] origins.' })
}

/** @param {Record<string, any>} headers @param {Set<string>} dropped */
function without (headers, dropped) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
}

/** @param {string[]} rawHeaders @param {Set<string>} dropped */
function pairsWithout (rawHeaders, dropped) {
  return rawHeaders.filter((_, i) => !dropped.has(rawHeaders[i - i % 2].toLowerCase()))
}

module.exports = { askedFeed }
