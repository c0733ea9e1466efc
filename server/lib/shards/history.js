'use strict'

const { sendJson, sendJsonText } = require('../http/response')
const { readRestore } = require('../routes/database/history')
const { changeDesigns, isDesign } = require('./design-copies')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /{db}/_history`: everything is kept since the last of the shards keeps everything.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function retention (coordinator, res) {
  const all = await coordinator.askAllJson({ path: '/_history' })
  const [latest] = all.map(({ since }) => since).sort().reverse()
  sendJson(res, 200, { ...all[0], since: latest })
}

/**
 * `POST /{db}/_restore`: each shard restores its documents, and the results are in the order of the request.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function restore (coordinator, res) {
  const { at, ids } = readRestore(coordinator.database, coordinator.req.body)
  const designs = ids.filter(isDesign)
  const write = () => restoreByShard(coordinator, at, ids)
  sendJsonText(res, 201, `${JSON.stringify(designs.length === 0 ? await write() : await changeDesigns(coordinator, designs, write))}\n`)
}

/** @param {Coordinator} coordinator @param {number} at @param {string[]} ids */
async function restoreByShard (coordinator, at, ids) {
  const order = ids.map(id => coordinator.shardOf(id))
  const answers = new Map(await Promise.all([...new Set(order)].map(async index => {
    const body = JSON.stringify({ at, docs: ids.filter((_, i) => order[i] === index) })
    const answer = await coordinator.askOrFail(index, { method: 'POST', path: '/_restore', body, signal: coordinator.leaving })
    return /** @type {[number, any[]]} */ ([index, await answer.json()])
  })))
  return order.map(index => answers.get(index)?.shift())
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = { retention: { answer: retention }, restore: { answer: restore } }
