'use strict'

const { segmentsOf } = require('../path')
const { forMethod } = require('../route-table')
const { table } = require('../routes')

/**
 * Routes that a thread answers itself: method and path of a route → the query parameters that it may come
 * with. All of it reads from one moment of the pool.
 */
const ANSWERABLE = new Map([
  ['GET /', []],
  ['GET /:db/:doc', ['rev', 'revs', 'revs_info', 'conflicts', 'deleted_conflicts', 'local_seq', 'meta', 'latest', 'open_revs', 'attachments']],
  ['GET /:db/:doc/:attachment+', ['rev']],
  ['GET /:db/:local', []],
  ['GET /:db/_all_docs', RANGE()],
  ['POST /:db/_all_docs', RANGE()],
  ['POST /:db/_bulk_get', ['revs', 'latest', 'attachments', 'att_encoding_info']],
  ['POST /:db/_revs_diff', []],
  ['POST /:db/_missing_revs', []]
].map(([route, parameters]) => [route, new Set(parameters)]))

/** Only where what is seen is durable at once: a feed tells no sequence that a power cut takes back. */
const CHANGES = 'GET /:db/_changes'
const CHANGES_PARAMETERS = new Set(['style', 'include_docs', 'limit', 'descending', 'conflicts'])

/** A request that begins within the documents goes to the owner, who keeps count of what comes before. */
function RANGE () {
  return ['keys', 'endkey', 'end_key', 'inclusive_end', 'descending', 'limit', 'skip', 'include_docs', 'conflicts', 'update_seq']
}

/** Headers that may change what a request means. */
const TELLING = ['x-http-method-override', 'last-event-id', 'expect', 'range']

/**
 * @param {any} req
 * @param {boolean} isDurableAtOnce whether what is seen in the pool is durable
 * @returns {boolean} whether a thread may answer it
 */
function isAnswerable (req, isDurableAtOnce) {
  const question = req.url.indexOf('?')
  const path = question === -1 ? req.url : req.url.slice(0, question)
  // A URL as it is sent to proxies, `http://host/path`, is not split as it stands.
  if (!path.startsWith('/')) return false
  // System databases have rules of their own.
  if (SYSTEM.test(path)) return false
  for (const name of TELLING) if (req.headers[name] !== undefined) return false
  const parameters = parametersOf(req.method, path, isDurableAtOnce)
  return parameters !== undefined && (question === -1 || areKnown(req.url.slice(question + 1), parameters))
}

/** Several slashes count as one. */
const SYSTEM = /^\/+[_%]/

function parametersOf (method, path, isDurableAtOnce) {
  const found = find(path)
  const match = found === null ? undefined : forMethod(found.methods, method)
  if (match === undefined) return undefined
  const route = `${match.method} ${match.path}`
  return route === CHANGES && isDurableAtOnce ? CHANGES_PARAMETERS : ANSWERABLE.get(route)
}

function find (path) {
  try {
    return table.find(segmentsOf(path))
  } catch {
    return null
  }
}

function areKnown (search, parameters) {
  for (const part of search.split(/[&;]/)) if (!parameters.has(part.split('=', 1)[0])) return false
  return true
}

module.exports = { isAnswerable, ANSWERABLE: [...ANSWERABLE.keys(), CHANGES] }
