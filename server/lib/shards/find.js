'use strict'

const { endOfValue, publicName } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { MergedFind, designOfIndex, highProportion } = require('@potoroo/indexes')
const { readMoment } = require('../databases/moment')
const { isObject, requireObject } = require('../documents/input')
const { jsonType, sendJson, sendJsonText } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { changeDesigns } = require('./design-copies')
const { Merge } = require('../merging/merge')
const { RowStream } = require('../merging/row-stream')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('./coordinator').Question} Question */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/indexes').PlacedRow} PlacedRow */

/** The beginning of a shard's answer. @typedef {{ print: string, merges: boolean, isNothing: boolean, warnings: string[] }} FindPlan */

/**
 * `POST /{db}/_find`: all shards find by the same plan, so that the order is that of a database in one piece.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function find (coordinator, res) {
  const { database, req, service } = coordinator
  if (req.args.feed !== undefined || req.method === 'GET') return findLive(coordinator)
  const body = req.params.partition === undefined || !isObject(req.body) ? req.body : { ...req.body, partition: req.params.partition }
  const { at, ...present } = isObject(body) ? body : { at: undefined }
  // A moment is not of how to find.
  if (at !== undefined) readMoment(database, at)
  const asked = new MergedFind(at === undefined ? body : present, { databases: database.q, defaultLimit: service.config.integer('mango', 'default_limit') })
  if (asked.partition !== '') return coordinator.pass(coordinator.shardOf(`${asked.partition}:`), { body: Buffer.from(JSON.stringify(req.body)) })
  const startedAt = performance.now()
  const parts = asked.mixes ? asked.mix(await askRanks(coordinator, present)) : undefined
  const streams = await askByOnePlan(coordinator, asked, body, parts)
  const merge = new Merge(streams, readPlaced, (a, b) => compare(a, b))
  const compare = asked.comparison(planOf(streams[0]))
  try {
    await merge.begin()
    const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
    out.push('{"docs":[')
    const { places, returned } = await writeDocuments(out, merge, asked, asked.bookmark?.places ?? streams.map(() => null))
    if (out.closed) return
    for (const stream of streams) while (await stream.fill()) stream.take()
    const summary = summaryOf(asked, streams, places, returned, { startedAt, warnAbove: service.config.integer('mango', 'index_scan_warning_threshold') })
    const members = Object.entries(summary).map(([name, value]) => `,\r\n"${name}": ${JSON.stringify(value)}`)
    out.push(`\r\n]${members.join('')}}\r\n`)
    out.end()
  } finally {
    merge.close()
  }
}

/** A live query is of one shard: of a partition. @param {Coordinator} coordinator */
function findLive (coordinator) {
  const { params: { partition }, args, body, method } = coordinator.req
  const asked = partition ?? (method === 'GET' ? args.request : body)?.partition
  if (args.feed !== undefined && (typeof asked !== 'string' || asked === '')) {
    throw createError('NOT_IMPLEMENTED', { reason: 'A live query of a database of several shards is of one partition: the events of several shards have no order in common' })
  }
  return coordinator.pass(asked === undefined ? 0 : coordinator.shardOf(`${asked}:`), method === 'GET' ? {} : { body: Buffer.from(JSON.stringify(body)) })
}

/** A row's place is what it is compared by; its document is where the text goes on. @typedef {PlacedRow & { doc: number }} Placed */

const AT = '{"at":'
const ORDER = ',"order":'
const DOC = ',"doc":'

/** @param {string} text @returns {Placed} */
function readPlaced (text) {
  const atEnd = endOfValue(text, AT.length)
  const orderEnd = endOfValue(text, atEnd + ORDER.length)
  return { at: JSON.parse(text.slice(AT.length, atEnd)), order: JSON.parse(text.slice(atEnd + ORDER.length, orderEnd)), doc: orderEnd + DOC.length }
}

/** @param {RowStream} stream @returns {FindPlan} */
function planOf (stream) { return JSON.parse(`${stream.head.replace(/[\s,]*$/, '')}}`) }

/** @param {Coordinator} coordinator @param {any} body @returns {Promise<import('@potoroo/indexes').RankList[][]>} the ranks of each shard that are mixed */
function askRanks (coordinator, body) {
  return coordinator.askAllJson({ method: 'POST', path: '/_find', body: JSON.stringify({ ...body, bookmark: undefined }), merging: { ranks: true }, signal: coordinator.leaving })
}

/**
 * Shards choose the plan that costs least by what they hold. If they choose several, all take one that all can follow.
 *
 * @param {Coordinator} coordinator
 * @param {MergedFind} asked
 * @param {any} body
 * @param {import('@potoroo/indexes').RankedPart[]} [parts] of ranks that are mixed, for each shard
 */
async function askByOnePlan (coordinator, asked, body, parts) {
  const known = asked.bookmark
  const first = await askEach(coordinator, asked, body, known?.print, parts)
  if (first === null) throw createError('BAD_REQUEST', { error: 'invalid_bookmark', reason: `Invalid bookmark value: ${JSON.stringify(body.bookmark)}` })
  const prints = new Set(first.map(stream => planOf(stream).print))
  if (prints.size === 1) return first
  for (const stream of first) stream.close()
  for (const print of prints) {
    const streams = await askEach(coordinator, asked, body, print, parts)
    if (streams !== null) return streams
  }
  throw createError('NOT_IMPLEMENTED', { reason: 'The shards of the database find these documents by different indexes: name one with `use_index`' })
}

/**
 * @param {Coordinator} coordinator
 * @param {MergedFind} asked
 * @param {any} body
 * @param {string | undefined} print of the plan that they are to follow
 * @param {import('@potoroo/indexes').RankedPart[]} [parts]
 * @returns {Promise<RowStream[] | null>} null where one of them cannot
 */
async function askEach (coordinator, asked, body, print, parts) {
  const places = asked.bookmark?.places
  const questions = coordinator.shards.map((_, index) => {
    const place = places?.[index]
    const own = { ...body, ranked: parts?.[index], skip: 0, limit: asked.skip + asked.limit, bookmark: place == null ? undefined : asked.bookmarkOf(/** @type {string} */ (print), place) }
    return /** @type {[number, Question]} */ ([index, { method: 'POST', path: '/_find', body: JSON.stringify(own), merging: { find: print ?? '' }, signal: coordinator.leaving }])
  })
  try {
    return await begun((await coordinator.askEach(questions)).map(answer => new RowStream(answer, 'docs')))
  } catch (error) {
    if (print !== undefined && error.status === 400) return null
    throw error
  }
}

/** Waits for the first row of each. @param {RowStream[]} streams */
async function begun (streams) {
  try {
    await Promise.all(streams.map(stream => stream.fill()))
    return streams
  } catch (error) {
    for (const stream of streams) stream.close()
    throw error
  }
}

/**
 * @param {ResponseWriter} out
 * @param {Merge<Placed>} merge
 * @param {MergedFind} asked
 * @param {Array<PlacedRow['at'] | null>} before the last place of each shard
 */
async function writeDocuments (out, merge, { skip, limit }, before) {
  const places = [...before]
  const most = limit > 0 ? skip + limit : 0
  let separator = '\r\n'
  let taken = 0
  while (!out.closed) {
    if (taken >= most) break
    const next = merge.next()
    const head = next instanceof Promise ? await next : next
    if (head === null) break
    places[head.index] = head.row.at
    if (taken++ < skip) continue
    out.push(separator + head.text.slice(head.row.doc, -1))
    separator = ',\r\n'
    if (out.full) await out.flush()
  }
  return { places, returned: Math.max(0, taken - skip) }
}

/**
 * @param {MergedFind} asked
 * @param {RowStream[]} streams read to their ends
 * @param {Array<PlacedRow['at'] | null>} places
 * @param {number} returned
 * @param {{ startedAt: number, warnAbove: number }} options
 */
function summaryOf (asked, streams, places, returned, { startedAt, warnAbove }) {
  const plans = streams.map(stream => stream.members)
  if (plans.every(({ isNothing }) => isNothing)) return {}
  const sum = (/** @type {string} */ name) => plans.reduce((total, plan) => total + plan[name], 0)
  const warnings = plans[0].warnings.concat(highProportion({ documents: sum('documents'), returned }, warnAbove))
  return {
    bookmark: asked.nextBookmark(plans[0].print, places),
    ...(asked.stats && {
      execution_stats: {
        total_keys_examined: sum('keys'),
        total_docs_examined: asked.isQuorum ? 0 : sum('documents'),
        total_quorum_docs_examined: asked.isQuorum ? sum('documents') : 0,
        results_returned: returned,
        execution_time_ms: Math.round((performance.now() - startedAt) * 1000) / 1000
      }
    }),
    ...(warnings.length > 0 && { warning: warnings.join('\n') })
  }
}

/**
 * `POST /{db}/_explain`: as the first shard would find them.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function explain (coordinator, res) {
  const { req } = coordinator
  const partition = req.params.partition ?? (isObject(req.body) ? req.body.partition : undefined)
  const index = typeof partition === 'string' && partition !== '' ? coordinator.shardOf(`${partition}:`) : 0
  const path = req.params.partition === undefined ? '/_explain' : `/_partition/${encodeURIComponent(partition)}/_explain`
  const answer = await coordinator.askOrFail(index, { method: 'POST', path, body: JSON.stringify(req.body) })
  const told = await answer.json()
  sendJson(res, 200, { ...told, dbname: publicName(told.dbname) })
}

/**
 * `POST /{db}/_index`: all shards have the index.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function createIndex (coordinator, res) {
  const { database, req } = coordinator
  const design = designOfIndex(req.body, database.partitioned)
  const text = await changeDesigns(coordinator, [design], async () => {
    return (await (await coordinator.askOrFail(coordinator.shardOf(design), { method: 'POST', path: '/_index', body: JSON.stringify(req.body) })).bytes()).toString()
  })
  sendJsonText(res, 200, text)
}

/** @param {string} name */
function designId (name) { return name.startsWith('_design/') ? name : `_design/${name}` }

/**
 * `DELETE /{db}/_index/{ddoc}/{type}/{name}`
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function deleteIndex (coordinator, res) {
  const { req } = coordinator
  const design = designId(req.params.design)
  const path = req.url.replace(/^\/+[^/?]+/, '')
  const text = await changeDesigns(coordinator, [design], async () => {
    return (await (await coordinator.askOrFail(coordinator.shardOf(design), { method: 'DELETE', path })).bytes()).toString()
  })
  sendJsonText(res, 200, text)
}

/**
 * `POST /{db}/_index/_bulk_delete`
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function deleteIndexes (coordinator, res) {
  const { docids, ...rest } = requireObject(coordinator.req.body)
  if (!Array.isArray(docids) || docids.some(id => typeof id !== 'string')) return coordinator.pass(0, { body: Buffer.from(JSON.stringify(coordinator.req.body)) })
  const designs = docids.map(designId)
  /** @type {{ success: any[], fail: any[] }} */
  const done = { success: [], fail: [] }
  await changeDesigns(coordinator, designs, async () => {
    for (const [i, id] of docids.entries()) {
      const body = JSON.stringify({ ...rest, docids: [id] })
      const { success, fail } = await (await coordinator.askOrFail(coordinator.shardOf(designs[i]), { method: 'POST', path: '/_index/_bulk_delete', body })).json()
      done.success.push(...success)
      done.fail.push(...fail)
    }
  })
  sendJson(res, 200, done)
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  find: { answer: find },
  explain: { answer: explain },
  createIndex: { answer: createIndex },
  deleteIndex: { answer: deleteIndex },
  deleteIndexes: { answer: deleteIndexes }
}
