'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')

/**
 * One side of a replication: a database here by its name, or one anywhere by its URL.
 *
 * @typedef {object} Endpoint
 * @property {string} [name]
 * @property {string} [url] without credentials
 * @property {Record<string, string>} [headers]
 * @property {{ username: string, password: string }} [auth]
 */

/**
 * What a replication is asked to do, read from CouchDB's form of it.
 * @see https://docs.couchdb.org/en/stable/json-structure.html#replication-settings
 *
 * @typedef {object} ReplicationRequest
 * @property {Endpoint} source
 * @property {Endpoint} target
 * @property {boolean} continuous
 * @property {boolean} createTarget
 * @property {string} [filter]
 * @property {Record<string, any>} [queryParams]
 * @property {string[]} [docIds]
 * @property {any} [selector]
 * @property {string | number} [sinceSeq]
 * @property {'source' | 'target' | boolean} checkpoint
 */

/**
 * @param {any} body `{ source, target, continuous, create_target, doc_ids, selector, filter, query_params, since_seq, use_checkpoints }`
 * @returns {ReplicationRequest}
 * @throws bad_request
 */
function parseRequest (body) {
  if (!isObject(body)) throw bad('Request body must be a JSON object')
  return {
    source: parseEndpoint('source', body.source),
    target: parseEndpoint('target', body.target),
    continuous: flag('continuous', body.continuous),
    createTarget: flag('create_target', body.create_target),
    checkpoint: body.use_checkpoints === undefined ? true : flag('use_checkpoints', body.use_checkpoints),
    ...parseFilter(body),
    sinceSeq: parseSince(body.since_seq)
  }
}

function parseFilter ({ filter, query_params: queryParams, doc_ids: docIds, selector }) {
  if ([filter, docIds, selector].filter(value => value !== undefined).length > 1) {
    throw bad('`doc_ids`,`filter`,`selector` are mutually exclusive')
  }
  if (filter !== undefined && typeof filter !== 'string') throw bad('`filter` parameter must be a string')
  if (queryParams !== undefined && !isObject(queryParams)) throw bad('`query_params` must be an object')
  if (docIds !== undefined && !(Array.isArray(docIds) && docIds.every(id => typeof id === 'string'))) throw bad('`doc_ids` must be a list of document ids')
  if (selector !== undefined && !isObject(selector)) throw bad('`selector` must be an object')
  return { filter, queryParams, docIds, selector }
}

function parseSince (since) {
  if (since === undefined || typeof since === 'string' || (Number.isSafeInteger(since) && since >= 0)) return since
  throw bad('`since_seq` must be an update sequence')
}

function parseEndpoint (side, given) {
  if (given === undefined) throw bad(`\`${side}\` parameter is required`)
  const { url, headers, auth } = typeof given === 'string' ? { url: given } : isObject(given) ? given : {}
  if (typeof url !== 'string' || url === '') throw bad(`\`${side}\` must be a database name, a URL or an object with \`url\``)
  if (headers !== undefined && !isObject(headers)) throw bad(`\`headers\` of \`${side}\` must be an object`)
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return { name: url }
  return parseRemote(side, url, headers, auth?.basic)
}

function parseRemote (side, text, headers = {}, basic) {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw bad(`\`${side}\` is not a URL of http or https`)
  const auth = url.username !== ''
    ? { username: decoded(side, url.username), password: decoded(side, url.password) }
    : basic && { username: String(basic.username), password: String(basic.password) }
  url.username = url.password = ''
  // A database's URL has a name: without one the server itself would be written to.
  if (url.pathname === '/') throw bad(`\`${side}\` names no database`)
  return { url: url.href.replace(/\/$/, ''), headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])), auth }
}

function decoded (side, text) {
  try {
    return decodeURIComponent(text)
  } catch {
    throw bad(`The credentials in \`${side}\` are not encoded as a URL's`)
  }
}

/**
 * The same for the same replication, so that it can be found again and cancelled.
 * @param {ReplicationRequest} request
 * @param {string | null} user
 */
function replicationId ({ source, target, filter, queryParams, docIds, selector, continuous, createTarget }, user) {
  const said = JSON.stringify([source, target, filter, queryParams, docIds, selector, user])
  const id = crypto.createHash('md5').update(said).digest('hex')
  return `${id}${continuous ? '+continuous' : ''}${createTarget ? '+create_target' : ''}`
}

/**
 * How an endpoint is shown: never with a password.
 * @param {Endpoint} endpoint
 */
function nameOf ({ name, url }) { return name ?? `${url}/` }

function flag (name, value = false) {
  if (typeof value === 'boolean') return value
  throw bad(`\`${name}\` must be a boolean`)
}

function isObject (value) { return typeof value === 'object' && value !== null && !Array.isArray(value) }

function bad (reason) { return createError('BAD_REQUEST', { reason }) }

module.exports = { parseRequest, replicationId, nameOf }
