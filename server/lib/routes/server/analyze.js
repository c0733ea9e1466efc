'use strict'

const { badRequest } = require('@potoroo/errors')
const { analyzer } = require('@potoroo/indexes')
const { requireObject } = require('../../documents/input')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** UTF-16 units of a text, which is analyzed at once: languages without spaces take some microseconds for each. */
const LONGEST = 1 << 16

/** @param {unknown} value */
function isSpec (value) { return typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) }

/** @param {any} given @param {'clouseau' | 'nouveau'} dialect */
function tokensOf ({ analyzer: spec, text }, dialect) {
  if (spec === undefined) throw badRequest('analyzer parameter is mandatory')
  if (!isSpec(spec)) throw badRequest('analyzer parameter must be a string or an object')
  if (text === undefined) throw badRequest('text parameter is mandatory')
  if (typeof text !== 'string') throw badRequest('text parameter must be a string')
  if (text.length > LONGEST) throw badRequest(`text parameter must not be longer than ${LONGEST} characters`)
  return analyzer(spec, { dialect })(text).map(({ term }) => term)
}

/** @param {(req: PotorooRequest) => any} givenOf @param {'clouseau' | 'nouveau'} dialect */
function analyze (givenOf, dialect) {
  return (/** @type {PotorooRequest} */ req, /** @type {PotorooResponse} */ res) => sendJson(res, 200, { tokens: tokensOf(givenOf(req), dialect) })
}

/** @param {PotorooRequest} req */
function bodyOf (req) { return requireObject(req.body) }

/**
 * `{ analyzer, text }` → `{ tokens }`
 *
 * @type {import('../../dispatch/route-table').Route[]}
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#search-analyze
 */
module.exports = [
  { method: 'GET', path: '/_search_analyze', who: 'admin', allow: 'GET,POST', query: { analyzer: 'string', text: 'string' }, handler: analyze(req => req.args, 'clouseau') },
  { method: 'POST', path: '/_search_analyze', who: 'admin', reads: true, body: 'typed-json', handler: analyze(bodyOf, 'clouseau') },
  { method: 'POST', path: '/_nouveau_analyze', who: 'admin', reads: true, body: 'typed-json', handler: analyze(bodyOf, 'nouveau') }
]
