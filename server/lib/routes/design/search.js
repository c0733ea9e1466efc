'use strict'

const { sendJson, sendJsonText } = require('../../http/response')
const { readNouveauArgs } = require('../../search/nouveau-args')
const { nouveauText, searchText } = require('../../search/search-answer')
const { readSearchArgs } = require('../../search/search-args')
const { givenOfNouveau, givenOfSearch } = require('../../search/search-request')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/indexes').Dialect} Dialect */

/** The index is everybody's who may read the database: members of one with access by document do not come here. @param {PotorooRequest} req */
function storeOf (req) { return req.service.databases.get(req.params.db) }

/** @param {PotorooRequest} req */
function designOf ({ params: { ddoc } }) { return ddoc.slice('_design/'.length) }

/**
 * `GET /{db}/_design/{ddoc}/_search/{index}?q=…`, and POST with the parameters in the body → `{ total_rows, bookmark, rows }`,
 * with `group_field` `{ total_rows, groups }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/search.html
 */
async function search (req, res) {
  const { service, params } = req
  const database = await storeOf(req)
  const args = { ...argsOf(req, database), timeout: timeoutOf(service.config, 'search_timeout'), isWanted: () => !res.destroyed }
  const result = await service.searches.search(database, 'search', designOf(req), params.index, args)
  if (isForMerging(req)) sendJson(res, 200, result)
  else sendJsonText(res, 200, searchText(result))
}

/** As long as it takes, unless it is said. @param {import('../../config/config').Config} config @param {'search_timeout' | 'nouveau_timeout'} name */
function timeoutOf (config, name) {
  const milliseconds = config.integer('fabric', name)
  return milliseconds === Number.MAX_SAFE_INTEGER ? undefined : milliseconds
}

/** More groups are merged than are shown. @param {PotorooRequest} req @param {{ partitioned: boolean }} database */
function argsOf (req, database) {
  const given = givenOfSearch(req)
  if (!isForMerging(req)) return readSearchArgs(given, database, req.service.config)
  return { ...readSearchArgs({ ...given, limit: 0 }, database, req.service.config), limit: given.limit }
}

/** Whether it is a shard that is asked: what shards find is merged. @param {PotorooRequest} req */
function isForMerging ({ merging }) { return merging?.search === true }

/**
 * `GET /{db}/_design/{ddoc}/_nouveau/{index}?q=…`, and POST → `{ total_hits, hits, bookmark, counts, ranges, … }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/nouveau.html
 */
async function nouveau (req, res) {
  const { service, params } = req
  const database = await storeOf(req)
  const { given, partition } = givenOfNouveau(req)
  const args = { ...readNouveauArgs(given, partition), timeout: timeoutOf(service.config, 'nouveau_timeout'), isWanted: () => !res.destroyed }
  const result = await service.searches.search(database, 'nouveau', designOf(req), params.index, args)
  if (isForMerging(req)) sendJson(res, 200, result)
  else sendJsonText(res, 200, nouveauText(result, args.topN))
}

/** @param {PotorooRequest} req @param {Dialect} dialect */
async function infoOf (req, dialect) { return req.service.searches.info(await storeOf(req), dialect, designOf(req), req.params.index) }

/** @param {PotorooRequest} req @param {PotorooResponse} res */
async function searchInfo (req, res) {
  const { documents, bytes, seq, pending, signature } = await infoOf(req, 'search')
  sendJson(res, 200, { name: nameOf(req), search_index: { pending_seq: seq + pending, doc_del_count: 0, doc_count: documents, disk_size: bytes, committed_seq: seq, signature } })
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
async function diskSize (req, res) {
  const { bytes } = await infoOf(req, 'search')
  sendJson(res, 200, { name: nameOf(req), search_index: { disk_size: bytes } })
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
async function nouveauInfo (req, res) {
  const { documents, bytes, seq, purgeSeq, signature } = await infoOf(req, 'nouveau')
  sendJson(res, 200, { name: nameOf(req), search_index: { update_seq: seq, purge_seq: purgeSeq, num_docs: documents, disk_size: bytes, signature } })
}

/** @param {PotorooRequest} req */
function nameOf ({ params: { ddoc, index } }) { return `${ddoc}/${index}` }

/** @param {Dialect} dialect */
function cleanup (dialect) {
  return async (/** @type {PotorooRequest} */ req, /** @type {PotorooResponse} */ res) => {
    await req.service.searches.cleanup(await storeOf(req), dialect)
    sendJson(res, 202, { ok: true })
  }
}

/** The parameters with which a thread may answer. */
const THREADS = {
  search: [
    'q', 'query', 'limit', 'bookmark', 'sort', 'stale', 'partition', 'counts', 'ranges', 'drilldown', 'include_docs', 'include_fields',
    'highlight_fields', 'highlight_pre_tag', 'highlight_post_tag', 'highlight_number', 'highlight_size', 'group_field', 'group_by', 'group_limit', 'group_sort'
  ],
  nouveau: ['q', 'limit', 'bookmark', 'sort', 'update', 'partition', 'counts', 'ranges', 'include_docs', 'top_n', 'locale']
}

/** @param {string} path @param {'search' | 'nouveau'} shards @param {(req: PotorooRequest, res: PotorooResponse) => Promise<void>} handler @returns {import('../../dispatch/route-table').Route[]} */
function searchRoutes (path, shards, handler) {
  const threads = { parameters: THREADS[shards], givesBack: true }
  return [
    { method: 'GET', path, who: 'member', allow: 'GET,POST', threads, shards, handler },
    { method: 'POST', path, who: 'member', reads: true, body: 'typed-json', threads, shards, handler }
  ]
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  ...searchRoutes('/:db/:ddoc/_search/:index', 'search', search),
  ...searchRoutes('/:db/:ddoc/_nouveau/:index', 'nouveau', nouveau),
  { method: 'GET', path: '/:db/:ddoc/_search_info/:index', who: 'member', allow: 'GET', shards: 'searchInfo', handler: searchInfo },
  { method: 'GET', path: '/:db/:ddoc/_search_disk_size/:index', who: 'member', allow: 'GET', shards: 'searchInfo', handler: diskSize },
  { method: 'GET', path: '/:db/:ddoc/_nouveau_info/:index', who: 'member', allow: 'GET', shards: 'searchInfo', handler: nouveauInfo },
  { method: 'POST', path: '/:db/_search_cleanup', who: 'maintainer', shards: 'all', handler: cleanup('search') },
  { method: 'POST', path: '/:db/_nouveau_cleanup', who: 'maintainer', shards: 'all', handler: cleanup('nouveau') }
]
