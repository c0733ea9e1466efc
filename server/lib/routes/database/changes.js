'use strict'

const { ChangesWriter } = require('../../changes/format')
const { sendFeed } = require('../../changes/feed')
const { changesQuery, readChanges } = require('../../changes/query')
const { preferredEncoding } = require('../../http/accept')
const { requireObject } = require('../../documents/input')
const { jsonType, notModified } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { formatSequence } = require('../../databases/sequence')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET` and `POST /{db}/_changes`
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/database/changes.html
 */
async function changes (req, res) {
  const { database } = req
  if (req.body !== undefined) requireObject(req.body)
  const request = await readChanges(req)
  /** @type {Record<string, string>} */
  const headers = headersOf(req, request)
  if (headers.ETag !== undefined && notModified(res, headers.ETag)) return
  // A feed that lasts has its connection for itself: see changes/feed.js.
  if (req.httpVersionMajor === 1 && (request.feed === 'continuous' || request.feed === 'eventsource')) headers.Connection = 'close'
  const out = new ResponseWriter(res, headers)
  if (request.feed === 'replication') out.compress(preferredEncoding(req))
  if (req.method === 'HEAD') return out.end()
  const writer = new ChangesWriter(out, database, request)
  const sent = await sendFeed(req, writer, request)
  if (sent === null) return
  // A server that stops waits for its connections; those of HTTP/2 it ends itself.
  if (req.service.closing.aborted && req.httpVersionMajor === 1) res.on('finish', () => req.socket.end())
  writer.end(sent)
}

/** @param {DatabaseRequest} req @param {{ feed: string }} request */
function headersOf (req, { feed }) {
  if (feed === 'eventsource') return { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }
  const headers = { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' }
  // Filters may depend on more than the database: on who asks, or on a design document's past.
  const stable = feed === 'normal' && req.method !== 'POST' && !req.args.filter && !req.database.isOfMember
  return stable ? { ...headers, ETag: `"${formatSequence(req.database, req.database.updateSeq)}"` } : headers
}

/** Whether what filters is in the body. @param {URLSearchParams} args */
function hasBody (args) { return args.get('filter') === '_selector' || (args.get('filter') === '_doc_ids' && !args.has('doc_ids')) }

const metric = 'couchdb.httpd.clients_requesting_changes'
const threads = { durable: ['style', 'include_docs', 'limit', 'descending', 'conflicts'] }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/_changes', who: 'member', byDocument: true, whoIn: { replications: 'member', system: 'admin' }, metric, allow: 'GET,POST,HEAD', query: changesQuery, threads, shards: 'changes', webSocket: args => !hasBody(args), handler: changes },
  { method: 'POST', path: '/:db/_changes', who: 'member', byDocument: true, whoIn: { replications: 'member', system: 'admin' }, reads: true, metric, body: 'typed-optional-json', query: changesQuery, shards: 'changes', webSocket: hasBody, handler: changes }
]
