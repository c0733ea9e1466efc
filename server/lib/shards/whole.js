'use strict'

const { NODE } = require('../service/node-name')
const { compareUtf8, rangesOf } = require('@potoroo/document-store')
const { sendJson } = require('../http/response')
const { allOf } = require('./coordinator')
const { designIds, pathOf } = require('./design-copies')
const { relayBytes } = require('./relay')
const { formatVector, numberOf } = require('./sequence')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * All shards do what is asked; the first one's answer is that of all.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function ofAll (coordinator, res) {
  const { req } = coordinator
  const path = req.url.replace(/^\/+[^/?]+/, '').replace(/\?.*$/, '')
  const body = req.body === undefined ? undefined : JSON.stringify(req.body)
  const answers = await coordinator.askAll({ method: req.method, path, body, headers: { 'content-type': 'application/json' } })
  const [bytes] = await allOf(answers, answer => answer.bytes())
  relayBytes(res, answers[0], bytes)
}

/**
 * `GET /{db}`: the sums of what shards say of themselves, with each design document counted once.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function info (coordinator, res) {
  const { database } = coordinator
  const [infos, designs] = await Promise.all([coordinator.askAllJson({ path: '' }), designIds(coordinator)])
  const sum = (/** @type {(info: any) => number} */ pick) => infos.reduce((total, info) => total + pick(info), 0)
  sendJson(res, 200, {
    ...infos[0],
    db_name: database.name,
    purge_seq: formatVector(database, infos.map(info => numberOf(info.purge_seq))),
    update_seq: formatVector(database, infos.map(info => numberOf(info.update_seq))),
    sizes: { file: sum(({ sizes }) => sizes.file), external: sum(({ sizes }) => sizes.external), active: sum(({ sizes }) => sizes.active) },
    doc_del_count: sum(({ doc_del_count: count }) => count),
    doc_count: sum(({ doc_count: count }) => count) - designs.length * (database.q - 1),
    compact_running: infos.some(({ compact_running: isRunning }) => isRunning),
    cluster: { q: database.q, n: 1, w: 1, r: 1 }
  })
}

/**
 * `GET /{db}/_design/{ddoc}/_info`: the sums of the shards' indexes.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function indexInfo (coordinator, res) {
  const infos = await coordinator.askAllJson({ path: `${pathOf(coordinator.req.params.ddoc)}/_info` })
  const sum = (/** @type {(index: any) => number} */ pick) => infos.reduce((total, { view_index: index }) => total + pick(index), 0)
  const [{ name, view_index: first }] = infos
  const pending = sum(index => index.updates_pending.total)
  sendJson(res, 200, {
    name,
    view_index: {
      ...first,
      updates_pending: { minimum: pending, preferred: pending, total: pending },
      waiting_clients: sum(index => index.waiting_clients),
      updater_running: infos.some(({ view_index: index }) => index.updater_running),
      update_seq: sum(index => index.update_seq),
      sizes: { file: sum(({ sizes }) => sizes.file), external: sum(({ sizes }) => sizes.external), active: sum(({ sizes }) => sizes.active) },
      purge_seq: sum(index => index.purge_seq)
    }
  })
}

/**
 * `GET /{db}/_purged_infos`: in the order of ids.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function purgedInfos (coordinator, res) {
  const lists = await coordinator.askAllJson({ path: '/_purged_infos' })
  // Copies of design documents are purged where those are deleted.
  const own = lists.flatMap(({ purged_infos: infos }, index) => infos.filter((/** @type {{ id: string }} */ { id }) => coordinator.shardOf(id) === index))
  sendJson(res, 200, { purged_infos: own.sort((a, b) => compareUtf8(a.id, b.id)) })
}

/**
 * `GET /{db}/_shards`
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
function shards ({ database }, res) {
  sendJson(res, 200, { shards: Object.fromEntries(rangesOf(database.q).map(range => [range, [NODE]])) })
}

/**
 * `GET /{db}/_shards/{doc}`
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
function shardOfDocument (coordinator, res) {
  const { database, req } = coordinator
  sendJson(res, 200, { range: rangesOf(database.q)[coordinator.shardOf(req.params.doc)], nodes: [NODE] })
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  all: { answer: ofAll },
  info: { answer: info },
  indexInfo: { answer: indexInfo },
  purgedInfos: { answer: purgedInfos },
  shards: { answer: shards },
  shardOf: { answer: shardOfDocument }
}
