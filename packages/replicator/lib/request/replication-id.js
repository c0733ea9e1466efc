'use strict'

const crypto = require('node:crypto')
const { atom, binary, encode, json, list, number, string, tuple } = require('./erlang-term')
const { canonicalSelector } = require('./selector-form')

/** How CouchDB makes ids since 2.0; it stands in checkpoints. */
const REPLICATION_ID_VERSION = 4

/** @type {Record<string, number[]>} */
const DEFAULT_PORTS = { 'http:': [80, 5984], 'https:': [443] }

/**
 * The same for the same replication, and the same as a CouchDB with this uuid would give it, so
 * that it finds its checkpoints.
 *
 * @param {import('./request').ReplicationRequest} request
 * @param {{ uuid: string, user: string | null, filterCode?: string }} context `user` is who may use
 *   databases here; `filterCode` is the source's, for a filter function
 * @returns {{ base: string, id: string }} checkpoints have the base's name
 */
function replicationId (request, { uuid, user, filterCode }) {
  const terms = [binary(uuid), endpointTerm(request.source, user), endpointTerm(request.target, user), ...filterTerms(request, filterCode)]
  if (request.winningRevsOnly) terms.push(binary('winning_revs_only'))
  if (request.sinceSeq !== undefined) terms.push(json(request.sinceSeq))
  const base = crypto.createHash('md5').update(encode(list(terms))).digest('hex')
  return { base, id: base + (request.continuous ? '+continuous' : '') + (request.createTarget ? '+create_target' : '') }
}

/**
 * @param {import('./endpoint').Endpoint} endpoint
 * @param {string | null} user
 */
function endpointTerm ({ name, url, headers = [], auth }, user) {
  if (name !== undefined) return tuple(atom('local'), binary(name), user === null ? atom('null') : binary(user))
  const { protocol, hostname, port, pathname, search } = new URL(/** @type {string} */ (url))
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const portNumber = port === '' ? DEFAULT_PORTS[protocol][0] : Number(port)
  return tuple(
    atom('remote'),
    auth ? string(auth.username) : atom('undefined'),
    string(host),
    DEFAULT_PORTS[protocol].includes(portNumber) ? atom('default') : number(portNumber),
    string(pathname + search),
    list(headers.map(([key, value]) => tuple(string(key), string(value)))),
    atom('undefined')
  )
}

/**
 * @param {import('./request').ReplicationRequest} request
 * @param {string} [filterCode]
 */
function filterTerms ({ filter, queryParams = {}, docIds, selector }, filterCode) {
  if (docIds !== undefined) return [json(docIds)]
  if (selector !== undefined) return [json(canonicalSelector(selector))]
  if (filter === undefined) return []
  return [binary(filter.startsWith('_') ? filter : filterCode ?? ''), json(queryParams)]
}

module.exports = { replicationId, REPLICATION_ID_VERSION }
