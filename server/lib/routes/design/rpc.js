'use strict'

const { integer } = require('../../config/schema')
const { designOf } = require('../../functions/design')
const { readJson, requireContentType } = require('../../http/body')
const { sendJsonText } = require('../../http/response')
const { CallError, METHOD_NOT_FOUND, PARSE_ERROR, answerAll, errorText } = require('../../rpc/json-rpc')
const { callInTransaction } = require('../../rpc/transactional-call')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../service/request-service').RequestService} RequestService */

/** Timers count in 32 bits, and JSON has no `infinity`. */
const MOST = 2 ** 31 - 1

/** @param {keyof import('../../config/defaults').Settings['rpc']} key @returns {(config: import('../../config/config').Config) => number} */
const limit = key => config => Math.min(MOST, integer('rpc', key, { least: 1 })(config))

const schema = {
  timeout: limit('timeout'),
  documents: limit('max_documents'),
  bytes: limit('max_bytes'),
  attempts: limit('max_attempts'),
  calls: limit('max_calls')
}

/** Sections by service. @type {WeakMap<RequestService, { readonly now: import('../../config/schema').ValuesOf<typeof schema> }>} */
const known = new WeakMap()

/** @param {RequestService} service */
function limitsOf (service) {
  let section = known.get(service)
  if (section === undefined) known.set(service, section = service.config.section(schema))
  return section.now
}

/**
 * `POST /{db}/_design/{ddoc}/_rpc`: calls functions of the design document's `rpc` by JSON-RPC 2.0. Its answers are 200, errors of
 * calls too, and 204 where there were notifications alone.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @see https://www.jsonrpc.org/specification
 */
async function rpc (req, res) {
  const { service, params: { db, ddoc } } = req
  requireContentType(req, 'application/json')
  const limits = limitsOf(service)
  const body = await readCalls(req, limits.bytes)
  if (body === undefined) return sendJsonText(res, 200, `${errorText(null, PARSE_ERROR)}\n`)
  const store = await service.databases.get(db)
  const design = await designOf(store, ddoc, service.counts)
  const answer = await answerAll(body, limits.calls, async (method, params) => {
    if (!isFunction(design.ddoc.rpc, method)) throw new CallError(METHOD_NOT_FOUND)
    return callInTransaction(req, store, () => design.function('rpc', method), params, limits)
  })
  if (answer === null) return res.writeHead(204).end()
  sendJsonText(res, 200, `${answer}\n`)
}

/** @param {DatabaseRequest} req @param {number} most bytes @returns {Promise<any>} undefined where it is no JSON */
async function readCalls (req, most) {
  try {
    return await readJson(req, Math.min(most, req.service.jsonLimit))
  } catch (error) {
    if (error.code === 'INVALID_JSON') return undefined
    throw error
  }
}

/** Names that begin with `rpc.` are JSON-RPC's own. @param {any} functions @param {string} method */
function isFunction (functions, method) {
  return typeof functions === 'object' && functions !== null && Object.hasOwn(functions, method) && !method.startsWith('rpc.')
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/:ddoc/_rpc', who: 'member', byDocument: true, handler: rpc }
]
