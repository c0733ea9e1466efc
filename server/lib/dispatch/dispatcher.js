'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { absoluteUrl } = require('../http/absolute-url')
const { errorOf } = require('./deletion-error')
const { Change, reroute } = require('./reroute')
const { overrideMethod } = require('../http/method-override')
const { segmentsOf } = require('../http/path')
const { parseQuery, searchOf } = require('../http/query')
const { bytesOf, readers } = require('../http/body')
const { sendError } = require('../http/response')
const { requireOwnOrigin } = require('../safety/request-origin')
const { requireValidHost } = require('../safety/valid-host')
const { setStandingHeaders } = require('../http/standing-headers')
const { forMethod, gateOf, allowed } = require('./route-table')
const { table } = require('./routes')
const { authorize, authorizeNear } = require('./authorization')
const { givenId } = require('../http/request-ids')
const { isForAll } = require('../changes/lasting-feeds')
const { followOwner } = require('../shards/changes/changes')
const { coordinate } = require('../shards/coordinate')

/** @typedef {import('../auth/authenticator').User} User */

/** @typedef {import('./request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('./request').PotorooRequest} PotorooRequest */
/** @typedef {import('./request').PotorooResponse} PotorooResponse */

/** @typedef {import('../service/request-service').RequestService} RequestService */

/**
 * The part of a service that is there before it is open, and remains where it cannot be opened.
 * @typedef {Pick<RequestService, 'config' | 'cors' | 'counts' | 'log' | 'nextRequestId' | 'securityHeaders' | 'tracing' | 'vhosts'>} Frame
 */

/**
 * One function for all requests of a service: it finds the route, finds out who is asking and
 * whether they may, opens the database, reads query and body, calls the handler, and turns
 * whatever is thrown into an answer. A handler finds on its request:
 *
 *   params    the path's variable segments, decoded: `{ db, doc }`
 *   args      the query parameters that the route declares, as values
 *   search    the query string as it came, without `?`
 *   body      JSON, where the route declares one
 *   user      `{ name, roles, authenticated }`
 *   database  the DocumentStore of `params.db`
 *   service   configuration, databases, log
 *
 * @param {Frame} frame
 * @param {() => RequestService | Promise<RequestService>} opened the service, or when it is open
 * @param {(error: unknown, req: PotorooRequest, res: PotorooResponse) => boolean} [elsewhere] whether a request that failed is answered by others
 * @returns {(req: PotorooRequest, res: PotorooResponse) => Promise<unknown>}
 */
function createDispatcher (frame, opened, elsewhere = () => false) {
  return (req, res) => frame.tracing === null ? dispatch(req, res) : frame.tracing.answer(req, res, () => dispatch(req, res))

  /** Returns whether it is answered here. @param {PotorooRequest} req @param {PotorooResponse} res */
  async function dispatch (req, res) {
    const startedAt = performance.now()
    let isOurs = true
    try {
      begin(frame, req, res)
      if (req.internal !== true) {
        requireValidHost(req, frame.config)
        if (frame.cors.handle(req, res)) return true
      }
      const now = opened()
      const service = req.service = now instanceof Promise ? await now : now
      if (!req.url.startsWith('/')) req.url = originForm(req.url)
      if (req.headers['x-http-method-override'] !== undefined) overrideMethod(req)
      if (!frame.vhosts.isEmpty && req.internal !== true) frame.vhosts.apply(req)
      let next = await route(service, req, res)
      while (next instanceof Change) {
        reroute(req, next)
        next = await route(service, req, res)
      }
    } catch (error) {
      isOurs = !elsewhere(error, req, res) && await refuse(frame, req, res, error, elsewhere)
    } finally {
      if (isOurs && req.internal !== true) frame.counts.request(req, res, startedAt)
    }
    return isOurs
  }
}

/**
 * Refuses a request, or breaks it off if a header of the refusal cannot be sent.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {Frame} frame
 * @param {unknown} error
 * @param {(error: unknown, req: PotorooRequest, res: PotorooResponse) => boolean} elsewhere as above
 * @returns {Promise<boolean>} false: others answer it, as they know better what the error is
 */
async function refuse (frame, req, res, error, elsewhere) {
  /** @param {unknown} fault */
  const logFault = fault => frame.log.fault(req, fault)
  try {
    sendError(res, await errorOf(req, error), logFault)
  } catch (fault) {
    if (elsewhere(fault, req, res)) return false
    logFault(fault)
    res.destroy()
  }
  return true
}

/**
 * Answers a request that the server itself asks: see shards/. It is neither logged nor counted.
 *
 * @param {RequestService} service
 * @param {PotorooRequest} req its `user` is known
 * @param {PotorooResponse} res
 */
async function answerPassed (service, req, res) {
  try {
    req.res = res
    req.service = service
    await route(service, req, res)
  } catch (error) {
    await refuse(service, req, res, error, () => false)
  }
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {Frame} frame */
function begin (frame, req, res) {
  req.res = res
  // The server that it came to says these.
  if (req.internal) return
  const id = givenId(req.headers['x-couch-request-id']) ?? frame.nextRequestId()
  setStandingHeaders(res, ['X-Couch-Request-ID', id, 'X-CouchDB-Body-Time', '0'].concat(frame.securityHeaders.of(req)))
  if (frame.log.logsRequests) frame.log.request(req, res, id)
}

/** @param {RequestService} service @param {PotorooRequest} req @param {PotorooResponse} res */
async function route (service, req, res) {
  const question = req.url.indexOf('?')
  const path = question === -1 ? req.url : req.url.slice(0, question)
  req.search = question === -1 ? '' : searchOf(req.url.slice(question + 1))
  // A forwarded request has the user of the first one, and one that another server passed on that of the client.
  if (req.forwarded === undefined && req.internal !== true) {
    const user = service.authenticator.authenticate(req, res)
    req.user = user instanceof Promise ? await user : user
  }
  const segments = segmentsOf(path, path.includes('+') && service.config.boolean('chttpd', 'decode_plus_to_space'))
  const found = table.find(segments)
  if (found === null) {
    if (service.cluster !== null && await service.cluster.answersElsewhere(req, res, segments[0])) return
    return refuseUnknown(service, req.user, segments)
  }
  const match = forMethod(found.methods, req.method)
  const gate = match ?? gateOf(found.methods)
  req.params = paramsOf(gate.names, found.values)
  let sharded = service.databases.sharded(req.params.db)
  let reader = null
  requireOwnOrigin(req, service.cors)
  if (Number(req.headers['content-length']) > service.requestLimit) throw createError('TOO_LARGE')
  if (service.cluster !== null && (sharded === undefined || gate.database === false)) {
    const { db } = req.params
    if (match?.shards === 'changes' && isForAll(req) && await service.cluster.isWholeElsewhere(db)) return followOwner(req, res, answerPassed)
    const answers = await service.cluster.answersElsewhere(req, res, gate.owner ?? req.params.db, match)
    if (answers === true) return
    if (answers !== false) reader = answers
    // Another server may have made it.
    sharded = service.databases.sharded(req.params.db)
  }
  if (sharded === undefined || gate.database === false) await authorize(service, req, gate, reader)
  else {
    const isMoved = match?.method === 'GET' && ESCAPED_DESIGN.test(path) && isAsAsked(req)
    const answered = await coordinate(req, res, sharded, { match: isMoved ? undefined : match, gate }, answerPassed)
    if (match !== undefined && !isMoved) return answered
  }
  if (match === undefined) throw methodNotAllowed(allowed(found.methods))
  if (match.method === 'GET' && ESCAPED_DESIGN.test(path) && isAsAsked(req)) return redirect(req, res, req.url.replace(/_design%2f/i, '_design/'))
  req.args = parseQuery(req.search, match.query ?? nothing)
  if (match.body !== undefined) req.body = await readers[match.body](req, bytesOf(match, service))
  if (match.counter === undefined) return match.handler(/** @type {DatabaseRequest} */ (req), res)
  if (match.gauge && !isInside(req)) return gauged(service.counts, match, req, res)
  // Counted once it is known that it is answered here.
  req.metric = match.counter
  return match.handler(/** @type {DatabaseRequest} */ (req), res)
}

/**
 * Counts the requests that go on.
 *
 * @param {import('../stats/statistics').Statistics} counts
 * @param {import('./route-table').Route} route
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function gauged (counts, { counter = 0, handler }, req, res) {
  counts.count(counter)
  try {
    return await handler(/** @type {DatabaseRequest} */ (req), res)
  } finally {
    counts.count(counter, -1)
  }
}

/** Whether the server asks itself. @param {PotorooRequest} req */
function isInside (req) { return req.inShard === true }

/** Design documents have one URL for those who read. */
const ESCAPED_DESIGN = /^\/+[^/]+\/+_design%2f/i

/** Whether the client asked for this URL, and no rewrite and no virtual host. @param {PotorooRequest} req */
function isAsAsked ({ forwarded, service }) { return forwarded === undefined && service.vhosts.isEmpty }

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {string} url */
function redirect (req, res, url) {
  res.writeHead(301, ['Location', absoluteUrl(req, url), 'Content-Length', '0'])
  res.end()
}

/**
 * Refuses a path without a route. Checks access before the 404, so that outsiders cannot probe paths.
 *
 * @param {RequestService} service
 * @param {User} user
 * @param {string[]} segments
 * @returns {Promise<never>}
 */
async function refuseUnknown (service, user, segments) {
  await authorizeNear(service, user, segments)
  throw createError('NO_ROUTE')
}

/**
 * A request as it is sent to proxies, `http://host/path`, is for us all the same; the host in it counts for nothing.
 *
 * @param {string} url
 */
function originForm (url) {
  const match = /^https?:\/\/[^/?#]*([^]*)$/i.exec(url)
  if (match === null) throw badRequest('The path of a request begins with a slash')
  return match[1].startsWith('/') ? match[1] : `/${match[1]}`
}

/** @type {Record<string, string>} */
const nothing = {}

/** @param {string[]} names @param {string[]} values */
function paramsOf (names, values) {
  /** @type {Record<string, string>} */
  const params = {}
  for (let i = 0; i < names.length; i++) params[names[i]] = values[i]
  return params
}

/** @param {string} methods */
function methodNotAllowed (methods) {
  const error = createError('METHOD_NOT_ALLOWED', { reason: `Only ${methods} allowed` })
  return Object.assign(error, { headers: { Allow: methods } })
}

module.exports = { answerPassed, createDispatcher }
