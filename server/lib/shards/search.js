'use strict'

const { packBookmark, unpackBookmarks } = require('@potoroo/indexes')
const { sendJson, sendJsonText } = require('../http/response')
const { mergeResults } = require('../search/merge-results')
const { readNouveauArgs } = require('../search/nouveau-args')
const { nouveauText, searchText } = require('../search/search-answer')
const { readSearchArgs } = require('../search/search-args')
const { givenOfNouveau, givenOfSearch } = require('../search/search-request')
const { allOf } = require('./coordinator')
const { pathOf } = require('./design-copies')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/indexes').SearchArgs} SearchArgs */

/** Groups that each shard tells, of a search that groups. */
const GROUPS = 1000

/**
 * All shards search, and what they find is merged, as CouchDB does: each scores by what it has.
 *
 * @param {Coordinator} coordinator
 * @param {string} place `_search` or `_nouveau`
 * @param {Record<string, any>} given the parameters, as they came
 * @param {SearchArgs} args the same, as they were read
 */
async function ask (coordinator, place, given, args) {
  const { ddoc, index } = coordinator.req.params
  const before = unpackBookmarks(args.bookmark, coordinator.shards.length)
  const limit = args.group === undefined ? args.limit : GROUPS
  const path = `${pathOf(ddoc)}/${place}/${encodeURIComponent(index)}`
  const answers = await coordinator.askEach(before.map((keys, shard) => {
    const body = JSON.stringify({ ...given, limit, bookmark: keys === null ? undefined : packBookmark(keys) })
    return [shard, { method: 'POST', path, body, merging: { search: true }, signal: coordinator.leaving }]
  }))
  return mergeResults(await allOf(answers, answer => answer.json()), args, before)
}

/** The shard of the partition that is asked for. @param {Coordinator} coordinator @param {SearchArgs} args */
function shardOf (coordinator, { partition }) { return partition === undefined ? undefined : coordinator.shardOf(`${partition}:`) }

/** @param {Coordinator} coordinator */
function passed ({ req: { body } }) { return body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) } }

/** @param {Coordinator} coordinator @param {PotorooResponse} res */
async function search (coordinator, res) {
  const { req, database, service } = coordinator
  const given = givenOfSearch(req)
  const args = readSearchArgs(given, database, service.config)
  const shard = shardOf(coordinator, args)
  if (shard !== undefined) return coordinator.pass(shard, passed(coordinator))
  sendJsonText(res, 200, searchText(await ask(coordinator, '_search', given, args)))
}

/** @param {Coordinator} coordinator @param {PotorooResponse} res */
async function nouveau (coordinator, res) {
  const { req } = coordinator
  const { given, partition } = givenOfNouveau(req)
  const args = readNouveauArgs(given, partition)
  const shard = shardOf(coordinator, args)
  if (shard !== undefined) return coordinator.pass(shard, passed(coordinator))
  const result = await ask(coordinator, '_nouveau', given, args)
  sendJsonText(res, 200, nouveauText(result, args.topN))
}

/** Adds up what the shards say of an index. @param {Coordinator} coordinator @param {PotorooResponse} res @param {import('../dispatch/route-table').Route} route */
async function searchInfo (coordinator, res, { path }) {
  const { ddoc, index } = coordinator.req.params
  const place = path.split('/').at(-2)
  const infos = await coordinator.askAllJson({ path: `${pathOf(ddoc)}/${place}/${encodeURIComponent(index)}` })
  const [{ name, search_index: first }] = infos
  const sums = Object.fromEntries(Object.entries(first).map(([member, value]) => [member, typeof value === 'number' ? infos.reduce((sum, { search_index: info }) => sum + info[member], 0) : value]))
  sendJson(res, 200, { name, search_index: sums })
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  search: { answer: search },
  nouveau: { answer: nouveau },
  searchInfo: { answer: searchInfo }
}
