'use strict'

const { createBoundary } = require('@potoroo/multipart')
const { requireRevisionsById } = require('../documents/revisions-by-id')
const { requireObject } = require('../documents/input')
const { badRequest } = require('@potoroo/errors')
const { accepts } = require('../http/accept')
const { jsonType, sendJsonText } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { allOf } = require('./coordinator')
const { changeDesigns, isDesign } = require('./design-copies')
const { RowStream } = require('../merging/row-stream')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * Splits what is asked by documents' ids.
 *
 * @param {Coordinator} coordinator
 * @param {Record<string, any>} request id → something
 * @returns {Map<number, Record<string, any>>} by shard
 */
function split (coordinator, request) {
  const parts = new Map()
  for (const id of Object.keys(request)) {
    const index = coordinator.shardOf(id)
    if (!parts.has(index)) parts.set(index, Object.create(null))
    parts.get(index)[id] = request[id]
  }
  return parts
}

/**
 * `POST /{db}/_revs_diff`, `_missing_revs` and `_purge`: `{ id: [rev] }` → members by id, from all shards.
 *
 * @param {string} path
 * @param {string} before what stands before the members
 * @param {string} after
 */
function byRevisions (path, before, after) {
  return async (/** @type {Coordinator} */ coordinator, /** @type {PotorooResponse} */ res) => {
    const parts = split(coordinator, await requireRevisionsById(coordinator.req.body, { local: path === '/_purge' }))
    const answers = await coordinator.askEach([...parts].map(([index, part]) => [index, { method: 'POST', path, body: JSON.stringify(part) }]))
    const texts = await allOf(answers, async answer => (await answer.bytes()).toString().trim().slice(before.length, -after.length))
    sendJsonText(res, path === '/_purge' ? 201 : 200, `${before}${texts.filter(text => text !== '').join(',')}${after}\n`)
  }
}

const purgeAll = byRevisions('/_purge', '{"purge_seq":null,"purged":{', '}}')

/** @param {Coordinator} coordinator @param {PotorooResponse} res */
async function purge (coordinator, res) {
  const designs = Object.keys(requireObject(coordinator.req.body)).filter(isDesign)
  if (designs.length === 0) return purgeAll(coordinator, res)
  await changeDesigns(coordinator, designs, () => purgeAll(coordinator, res))
}

/**
 * `POST /{db}/_bulk_get`
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function bulkGet (coordinator, res) {
  const { req } = coordinator
  const { docs } = requireObject(req.body)
  if (!Array.isArray(docs)) throw badRequest('Missing JSON list of \'docs\'.')
  // A request that names no document is refused by any shard.
  const order = docs.map(doc => typeof doc?.id === 'string' ? coordinator.shardOf(doc.id) : 0)
  const type = accepts(req, 'application/json') ? undefined : ['multipart/mixed', 'multipart/related'].find(each => accepts(req, each))
  const headers = { accept: type ?? 'application/json' }
  const boundary = createBoundary()
  const search = new URLSearchParams(req.search)
  search.delete('callback')
  const asked = [...new Set(order.length === 0 ? [0] : order)]
  const answered = await coordinator.askEach(asked.map(index => {
    const body = JSON.stringify({ docs: docs.filter((_, i) => order[i] === index) })
    return [index, { method: 'POST', path: `/_bulk_get?${search}`, headers, merging: { boundary }, body, signal: coordinator.leaving }]
  }))
  const answers = new Map(asked.map((index, i) => [index, answered[i]]))
  try {
    if (type === undefined) await sendResults(coordinator, res, order, answers)
    else await sendParts(res, `${type}; boundary="${boundary}"`, boundary, [...answers.values()])
  } finally {
    for (const answer of answers.values()) answer.close()
  }
}

/**
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 * @param {number[]} order the shard of each result
 * @param {Map<number, import('../passing/inner-answer').InnerAnswer>} answers
 */
async function sendResults ({ req }, res, order, answers) {
  const streams = new Map([...answers].map(([index, answer]) => [index, new RowStream(answer, 'results')]))
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  let separator = '{"results":['
  for (const index of order) {
    out.push(separator + await streams.get(index)?.next())
    separator = ','
    await out.pause()
    if (out.closed) return
  }
  out.push(separator === ',' ? ']}\n' : '{"results":[]}\n')
  out.end()
}

/**
 * Parts of one shard after those of another: each says which document it is.
 *
 * @param {PotorooResponse} res
 * @param {string} type
 * @param {string} boundary
 * @param {import('../passing/inner-answer').InnerAnswer[]} answers
 */
async function sendParts (res, type, boundary, answers) {
  const out = new ResponseWriter(res, { 'Content-Type': type })
  const end = `\r\n--${boundary}--\r\n`
  for (const answer of answers) {
    // The last bytes are the end of its parts, and wait for what follows.
    let held = Buffer.alloc(0)
    for (let chunk = await answer.read(); chunk !== null; chunk = await answer.read()) {
      const bytes = Buffer.concat([held, chunk])
      const most = Math.max(0, bytes.length - end.length)
      await out.write(bytes.subarray(0, most))
      held = bytes.subarray(most)
      if (out.closed) return
    }
    if (held.toString('latin1') !== end) await out.write(held)
  }
  if (answers.length > 0) out.push(end)
  out.end()
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  revsDiff: { answer: byRevisions('/_revs_diff', '{', '}') },
  missingRevs: { answer: byRevisions('/_missing_revs', '{"missing_revs":{', '}}') },
  purge: { answer: purge },
  bulkGet: { answer: bulkGet }
}
