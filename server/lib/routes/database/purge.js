'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { requireRevisionsById } = require('../../documents/revisions-by-id')
const { jsonType, sendJson } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { numberOf } = require('../../stats/metrics')

const DATABASE_PURGES = numberOf('couchdb.database_purges')
const [TOTAL, SUCCESSES, FAILURES] = ['total', 'success', 'failure'].map(name => numberOf(`couchdb.document_purges.${name}`))

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `POST /{db}/_purge` with `{ id: [rev] }` → 201 `{ purge_seq: null, purged: { id: [rev] } }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function purge (req, res) {
  const request = await requireRevisionsById(req.body, { local: true })
  /** @type {Array<[string, string[]]>} */
  const purged = []
  await req.database.purge(request, { take: found => { for (const each of found) purged.push(each) } })
  count(req.service.counts, purged)
  res.statusCode = 201
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  out.push('{"purge_seq":null,"purged":{')
  let separator = ''
  for (const [id, revs] of purged) {
    out.push(`${separator}${JSON.stringify(id)}:${JSON.stringify(revs)}`)
    separator = ','
    if (out.full) await out.flush()
  }
  out.push('}}\n')
  out.end()
}

/** @param {import('../../stats/statistics').Statistics} counts @param {Array<[string, string[]]>} purged */
function count (counts, purged) {
  const successes = purged.filter(([, revs]) => revs.length > 0).length
  counts.count(DATABASE_PURGES)
  counts.count(TOTAL, purged.length)
  counts.count(SUCCESSES, successes)
  counts.count(FAILURES, purged.length - successes)
}

/**
 * `GET /{db}/_purged_infos` → `{ purged_infos: [{ id, revs }] }`: requests in the order of ids, the same one once.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getPurgedInfos (req, res) {
  const { purges } = await req.database.purges()
  const infos = new Map(purges.map(({ id, revs }) => [JSON.stringify([id, revs]), { id, revs: [...revs].sort() }]))
  sendJson(res, 200, { purged_infos: [...infos.values()].sort((a, b) => compareUtf8(a.id, b.id)) })
}

/**
 * `GET /{db}/_purged_infos_limit`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function getLimit (req, res) {
  sendJson(res, 200, req.database.purgedInfosLimit)
}

/**
 * `PUT /{db}/_purged_infos_limit` with a number as its body
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function setLimit (req, res) {
  if (!Number.isSafeInteger(req.body) || req.body < 1) throw badRequest('`purged_infos_limit` must be positive integer')
  await req.database.setPurgedInfosLimit(req.body)
  sendJson(res, 200, { ok: true })
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_purge', who: 'admin', metric: 'couchdb.httpd.purge_requests', body: 'typed-json', shards: 'purge', handler: purge },
  { method: 'GET', path: '/:db/_purged_infos', who: 'member', whoIn: { replications: 'member' }, allow: 'GET', shards: 'purgedInfos', handler: getPurgedInfos },
  { method: 'GET', path: '/:db/_purged_infos_limit', who: 'admin', allow: 'GET,PUT', shards: 'any', handler: getLimit },
  { method: 'PUT', path: '/:db/_purged_infos_limit', who: 'admin', body: 'json', shards: 'all', handler: setLimit }
]
