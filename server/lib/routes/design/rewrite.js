'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { Change } = require('../../dispatch/reroute')
const { designOf } = require('../../functions/design')
const { readResponse, sendPlain } = require('../../functions/function-response')
const { bodyBytes, routedRequest, textOf } = require('../../functions/request-object')
const { checkResult } = require('../../functions/rewrite-result')
const { readRules, rewrite } = require('../../functions/rewrite-rules')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('../../functions/design').Design} Design */

/**
 * `/{db}/_design/{ddoc}/_rewrite/{path}` of any method: what `rewrites` makes of it is routed in its place.
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/rewrites.html
 */
async function rewriteRequest (req, res) {
  const { service, params } = req
  const { config } = service
  if (/** @type {number} */ (req.forwarded) >= config.integer('chttpd', 'rewrite_limit')) throw badRequest('Exceeded rewrite recursion limit')
  const store = await service.databases.get(params.db)
  const design = await designOf(store, params.ddoc, service.counts)
  const { rewrites } = design.ddoc
  if (typeof rewrites === 'string') return byFunction(req, res, store, design)
  if (!Array.isArray(rewrites)) throw invalidPath()
  const url = rewrite(readRules(rewrites, config.boolean('chttpd', 'secure_rewrites')), { method: methodOf(req), parts: partsOf(req), search: req.search })
  if (url === null) throw createError('MISSING')
  return new Change({ url: absolute(req, bounded(req, url)) })
}

/**
 * The segments behind `_rewrite`, decoded: a slash that was encoded divides nothing.
 *
 * @param {{ url: string, service: RequestService }} req
 */
function partsOf ({ url, service }) {
  const path = url.split('?', 1)[0]
  const raw = (service.config.boolean('chttpd', 'decode_plus_to_space') ? path.replaceAll('+', ' ') : path).split('/').filter(part => part !== '')
  return raw.slice(raw[1] === '_design' ? 4 : 3).map(decodeURIComponent)
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {AnyDatabase} store @param {Design} design */
async function byFunction (req, res, store, design) {
  const { service } = req
  const { config } = service
  const functions = design.function('rewrites')
  const body = await bodyBytes(req)
  const request = await routedRequest(req, { store, body: textOf(body) })
  const answer = await service.queryServer.render(functions, 'rewrite', JSON.stringify({ req: request }))
  if (answer === null) throw invalidPath()
  const result = checkResult(answer.result)
  if (result.code !== undefined) return sendPlain(req, res, readResponse({ code: result.code, headers: result.headers ?? {}, body: result.body ?? '' }))
  const url = absolute(req, bounded(req, withQuery(bounded(req, /** @type {string} */ (result.path)), result.query, req.search)))
  const method = methodAfter(req.method, result.method)
  if (config.boolean('chttpd', 'secure_rewrites')) requireHarmless(req, url, method)
  return new Change({
    url,
    method,
    headers: result.headers,
    // A body that the function leaves as it is need not be text.
    body: result.body ?? body
  })
}

/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD'])

/**
 * A user who follows a link gives the function's author the rights that they have elsewhere: outside of its database a function
 * may have them read, and change nothing.
 *
 * @param {PotorooRequest} req
 * @param {string} url
 * @param {string} method
 * @throws insecure_rewrite_rule
 */
function requireHarmless (req, url, method) {
  const [, database] = url.split(/[/?]/, 2)
  if (database === encodeURIComponent(req.params.db) || (SAFE.has(req.method) && SAFE.has(method))) return
  throw createError('FUNCTION_ERROR', { error: 'insecure_rewrite_rule', reason: 'a rewrite function may leave its database with GET and HEAD only' })
}

/** @param {string} path @param {Record<string, string> | undefined} query @param {string} search */
function withQuery (path, query, search) {
  const text = query === undefined ? search : new URLSearchParams(query).toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

/** No longer than what a client may ask for. @param {{ service: RequestService }} req @param {string} url @throws too_long */
function bounded ({ service }, url) {
  if (url.length > service.config.integer('chttpd', 'max_uri_length')) throw createError('URI_TOO_LONG')
  return url
}

/** Relative to the design document, without `.` and `..`. @param {PotorooRequest} req @param {string} url */
function absolute (req, url) {
  const question = url.indexOf('?')
  const path = question === -1 ? url : url.slice(0, question)
  const name = req.params.ddoc.slice('_design/'.length)
  const parts = [encodeURIComponent(req.params.db), '_design', encodeURIComponent(name)]
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}${question === -1 ? '' : url.slice(question)}`
}

/** Whether there is a body is for the client to say. @param {string} own @param {string} [method] */
function methodAfter (own, method = own) {
  const bodiless = own === 'HEAD'
  if (method !== 'GET' && method !== 'HEAD') return method
  return bodiless ? 'HEAD' : 'GET'
}

/** HEAD is GET without a body. @param {PotorooRequest} req */
function methodOf ({ method }) { return method === 'HEAD' ? 'GET' : method }

function invalidPath () { return createError('MISSING', { error: 'rewrite_error', reason: 'Invalid path.' }) }

const path = '/:db/:ddoc/_rewrite'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = ['GET', 'POST', 'PUT', 'DELETE', 'COPY'].flatMap(method => [
  { method, path, who: 'member', byDocument: true, whoIn: { replications: 'member' }, handler: rewriteRequest },
  { method, path: `${path}/:path+`, who: 'member', byDocument: true, whoIn: { replications: 'member' }, handler: rewriteRequest }
])
