'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { rangeOptions, readList, readLists } = require('../documents/range-query')
const { jsonType } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { designIds } = require('./design-copies')
const { Merge } = require('../merging/merge')
const { PagedRows, pageOf } = require('../merging/paged-rows')
const { RowStream } = require('../merging/row-stream')
const { formatVector, numberOf } = require('./sequence')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../documents/view-query').ViewArgs} ViewArgs */

/** A list of ids that shards have in order, and how the whole is counted. @typedef {{ name: string, isCounted: boolean }} Kind */

/** The parameters that shards get as they came. */
const PASSED = ['startkey', 'endkey', 'startkey_docid', 'endkey_docid', 'inclusive_end', 'descending', 'include_docs', 'conflicts', 'attachments', 'att_encoding_info', 'update_seq', 'at', 'meta']

/** A row begins so. */
const ROW = /^\{"(?:id|key)":("(?:[^"\\]|\\.)*")/

/** @param {Kind} kind */
function answerOne (kind) {
  return async (/** @type {Coordinator} */ coordinator, /** @type {PotorooResponse} */ res) => {
    const { database, req } = coordinator
    const args = readList(req, database)
    // Local documents are of no partition.
    if (args.partition !== undefined && kind.isCounted) return coordinator.pass(coordinator.shardOf(`${args.partition}:`), req.body === undefined ? {} : { body: Buffer.from(JSON.stringify(req.body)) })
    const out = start(req, res)
    await write(coordinator, out, kind, args)
    out.push('\n')
    out.end()
  }
}

/** @param {Kind} kind */
function answerSeveral (kind) {
  return async (/** @type {Coordinator} */ coordinator, /** @type {PotorooResponse} */ res) => {
    const { database, req } = coordinator
    const all = await readLists(req, database)
    if (kind.isCounted && all.some(({ partition }) => partition !== undefined)) throw createError('NOT_IMPLEMENTED', { reason: 'Several queries of partitions are not implemented for databases of several shards' })
    const out = start(req, res)
    out.push('{"results":[')
    for (const [i, args] of all.entries()) {
      out.push(i === 0 ? '\r\n' : ',\r\n')
      await write(coordinator, out, kind, args)
      await out.pause()
    }
    out.push('\r\n]}\n')
    out.end()
  }
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
function start (req, res) {
  return new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
}

/** @param {Coordinator} coordinator @param {ResponseWriter} out @param {Kind} kind @param {ViewArgs} args */
async function write (coordinator, out, kind, args) {
  if (args.keys !== undefined) return writeKeys(coordinator, out, kind, args)
  const designs = kind.isCounted ? await designIds(coordinator) : []
  const { skip = 0, limit = Infinity, descending = false } = args
  const streams = await askPages(coordinator, kind, args, skip + limit, designs.length)
  const merge = new Merge(streams, (text, index) => ownId(coordinator, text, index), descending ? (a, b) => compareUtf8(b, a) : compareUtf8)
  try {
    await merge.begin()
    out.push(headOf(coordinator, kind, streams, args, designs))
    await writeRows(out, merge, skip, limit)
  } finally {
    merge.close()
  }
}

/** @param {ResponseWriter} out @param {Merge<string>} merge @param {number} skip @param {number} limit */
async function writeRows (out, merge, skip, limit) {
  let separator = '\r\n'
  let place = 0
  while (place < skip + limit) {
    const next = merge.next()
    const head = next instanceof Promise ? await next : next
    if (head === null) break
    if (place++ < skip) continue
    out.push(separator + head.text)
    separator = ',\r\n'
    if (out.full) await out.flush()
    if (out.closed) return
  }
  out.push('\r\n]}')
}

/**
 * @param {Coordinator} coordinator
 * @param {Kind} kind
 * @param {ViewArgs} args
 * @param {number} limit of each shard
 */
async function ask (coordinator, { name }, args, limit) {
  const body = JSON.stringify({ ...passed(args), ...(limit < Infinity && { limit }) })
  const answers = await coordinator.askAll({ method: 'POST', path: `/${name}`, body, signal: coordinator.leaving })
  return answers.map(answer => new RowStream(answer, 'rows'))
}

/**
 * Asks all shards for as many rows as each has of the first ones, as a rule, and for more when they are needed.
 *
 * @param {Coordinator} coordinator
 * @param {Kind} kind
 * @param {ViewArgs} args
 * @param {number} limit of all
 * @param {number} copies that a shard may have besides
 */
async function askPages (coordinator, kind, args, limit, copies) {
  const page = limit < Infinity ? pageOf(limit, coordinator.database.q) : limit
  const streams = await ask(coordinator, kind, { ...args, keys: undefined }, page + copies)
  return streams.map((stream, index) => new PagedRows(stream, page < limit ? page + copies : Infinity, async (row, more) => {
    const startkey = JSON.parse(/** @type {RegExpExecArray} */ (ROW.exec(row))[1])
    // That row is the first one again, unless somebody has deleted it.
    const body = JSON.stringify({ ...passed(args), startkey, startkey_docid: undefined, limit: Math.min(more, limit + copies) + 1 })
    const rows = new RowStream(await coordinator.askOrFail(index, { method: 'POST', path: `/${kind.name}`, body, signal: coordinator.leaving }), 'rows')
    if (await rows.fill() && ROW.exec(/** @type {string} */ (rows.peek()))?.[1] === ROW.exec(row)?.[1]) rows.take()
    return rows
  }))
}

/** @param {ViewArgs} args */
function passed (args) { return Object.fromEntries(PASSED.filter(name => args[name] !== undefined).map(name => [name, args[name]])) }

/** The id of a row; null of a copy. @param {Coordinator} coordinator @param {string} text @param {number} index */
function ownId (coordinator, text, index) {
  const id = JSON.parse(/** @type {RegExpExecArray} */ (ROW.exec(text))[1])
  return id.startsWith('_design/') && coordinator.shardOf(id) !== index ? null : id
}

/**
 * The sums of what shards say, without copies of design documents.
 *
 * @param {Coordinator} coordinator
 * @param {Kind} kind
 * @param {Array<Pick<RowStream, 'members'>>} streams
 * @param {ViewArgs} args
 * @param {string[]} designs
 */
function headOf (coordinator, { isCounted }, streams, args, designs) {
  const { database } = coordinator
  const heads = streams.map(({ members }) => members)
  const sequence = args.update_seq ? `,"update_seq":"${formatVector(database, heads.map(({ update_seq: text }) => numberOf(text)))}"` : ''
  if (!isCounted || args.at !== undefined) return `{"total_rows":null,"offset":null${sequence},"rows":[`
  const copies = database.q - 1
  const total = heads.reduce((sum, { total_rows: rows }) => sum + rows, 0) - designs.length * copies
  const { skip = 0 } = args
  const before = heads.reduce((sum, { offset }) => sum + offset, 0) - designs.filter(id => isBefore(id, rangeOptions(args))).length * copies
  return `{"total_rows":${total},"offset":${args.keys === undefined ? Math.min(total, before + skip) : null}${sequence},"rows":[`
}

/** Whether an id comes before a range. @param {string} id @param {Record<string, any>} range */
function isBefore (id, { startkey, descending = false }) {
  return startkey !== undefined && (descending ? compareUtf8(id, startkey) > 0 : compareUtf8(id, startkey) < 0)
}

/**
 * A row for each key, from its shard.
 *
 * @param {Coordinator} coordinator
 * @param {ResponseWriter} out
 * @param {Kind} kind
 * @param {ViewArgs} args
 */
async function writeKeys (coordinator, out, kind, args) {
  const { skip = 0, limit = Infinity, descending = false } = args
  const all = kind.isCounted ? args.keys : args.keys.filter((/** @type {any} */ key) => typeof key === 'string' && key.startsWith('_local/'))
  const keys = (descending ? [...all].reverse() : all).slice(skip, skip + limit)
  const order = keys.map((/** @type {any} */ key) => typeof key === 'string' ? coordinator.shardOf(key) : 0)
  const designs = kind.isCounted ? await designIds(coordinator) : []
  const { descending: none, ...rest } = passed(args)
  const answers = await coordinator.askEach(coordinator.shards.map((_, index) => {
    const body = JSON.stringify({ ...rest, keys: keys.filter((/** @type {any} */ key, /** @type {number} */ i) => order[i] === index) })
    return [index, { method: 'POST', path: `/${kind.name}`, body, signal: coordinator.leaving }]
  }))
  const streams = answers.map(answer => new RowStream(answer, 'rows'))
  try {
    await Promise.all(streams.map(stream => stream.fill()))
    out.push(headOf(coordinator, kind, streams, args, designs))
    let separator = '\r\n'
    for (const index of order) {
      out.push(separator + await streams[index].next())
      separator = ',\r\n'
      if (out.full) await out.flush()
      if (out.closed) return
    }
    out.push('\r\n]}')
  } finally {
    for (const stream of streams) stream.close()
  }
}

/** Each shard has all of the design documents. @param {Coordinator} coordinator */
function designDocs (coordinator) {
  const { req } = coordinator
  if (/update_seq/.test(req.search) || JSON.stringify(req.body ?? {}).includes('"update_seq"')) throw createError('NOT_IMPLEMENTED', { reason: '`update_seq` is not implemented here for databases of several shards' })
  return coordinator.pass(0, req.body === undefined ? {} : { body: Buffer.from(JSON.stringify(req.body)) })
}

const documents = { name: '_all_docs', isCounted: true }
const locals = { name: '_local_docs', isCounted: false }

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = {
  _all_docs: { answer: answerOne(documents) },
  '_all_docs/queries': { answer: answerSeveral(documents) },
  _design_docs: { answer: designDocs },
  '_design_docs/queries': { answer: designDocs },
  _local_docs: { answer: answerOne(locals) },
  '_local_docs/queries': { answer: answerSeveral(locals) }
}
