'use strict'

const { publicName, validatePartition } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */

/**
 * `GET /{db}/_partition/{partition}`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getPartition (req, res) {
  const { database, params } = req
  validatePartition(params.partition)
  requirePartitions(database)
  const { partition, docCount, docDelCount, sizes } = await database.partitionInfo(params.partition)
  sendJson(res, 200, { db_name: publicName(database.name), sizes, partition, doc_count: docCount, doc_del_count: docDelCount })
}

/** @param {AnyDatabase} database */
function requirePartitions (database) {
  if (!database.partitioned) throw badRequest('database is not partitioned')
}

/** The handler of a whole database, asked for one partition. @param {(req: DatabaseRequest, res: PotorooResponse) => any} handler */
function inPartition (handler) {
  return (/** @type {DatabaseRequest} */ req, /** @type {PotorooResponse} */ res) => {
    requirePartitions(req.database)
    const name = validatePartition(req.params.partition)
    const asked = req.search === '' ? null : new URLSearchParams(req.search).get('partition')
    if (asked !== null && asked !== name) throw badRequest('Conflicting value for `partition` in query string')
    // Its handler reads the partition there.
    req.search += `${req.search === '' ? '' : '&'}partition=${encodeURIComponent(name)}`
    return handler(req, res)
  }
}

/** Routes that can be asked for a partition. */
const SHARED = /^\/:db\/(_all_docs|_find$|_explain$|_index$|:ddoc\/_view\/|:ddoc\/_search\/|:ddoc\/_nouveau\/|:ddoc\/_info$)/

/** Routes of indexes that a thread reads of one partition, too. */
const INDEXED = /\/(_search|_nouveau|_view)\/|\/_find$/

/** Requests for one partition count apart. @type {Array<[RegExp, string]>} */
const METRICS = [
  [/_all_docs/, 'couchdb.httpd.partition_all_docs_requests'],
  [/_explain$/, 'couchdb.httpd.partition_explain_requests'],
  [/_find$/, 'couchdb.httpd.partition_find_requests'],
  [/_view\//, 'couchdb.httpd.partition_view_requests']
]

const whole = /** @type {import('../../dispatch/route-table').Route[]} */ ([...require('./all-docs'), ...require('./find'), ...require('../design/search'), ...require('../design/view')])

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/_partition', who: 'member', shards: 'any', handler () { throw badRequest('invalid_partition_req') } },
  { method: 'GET', path: '/:db/_partition/:partition', who: 'member', allow: 'GET', shards: 'partition', handler: getPartition },
  ...['GET', 'POST', 'PUT', 'DELETE', 'COPY'].map(method => ({
    method, path: '/:db/_partition/:partition/:path+', who: 'member', shards: 'partition', handler: inPartition(() => { throw createError('MISSING') })
  })),
  ...whole.filter(({ path }) => SHARED.test(path)).map(route => ({
    ...route,
    path: route.path.replace('/:db/', '/:db/_partition/:partition/'),
    whoIn: undefined,
    threads: INDEXED.test(route.path) ? route.threads : undefined,
    // A partition is in one shard; an index, and so its design document, is in all.
    shards: route.method === 'GET' || route.reads ? 'partition' : undefined,
    metric: METRICS.find(([pattern]) => pattern.test(route.path))?.[1],
    handler: inPartition(route.handler)
  }))
]
