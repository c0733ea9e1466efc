'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { liveQuery } = require('../../changes/query')
const { asStore } = require('../../databases/database-view')
const { readMoment } = require('../../databases/moment')
const { isObject } = require('../../documents/input')
const { jsonType, sendJson } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { liveFeedOf, sendLive } = require('../../live/send-live')
const { countFind } = require('../../stats/count-find')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** Returns what is asked, in the partition that the path names. @param {PotorooRequest} req */
function findOf ({ params: { partition }, body }) {
  return partition === undefined || !isObject(body) ? body : { ...body, partition }
}

/**
 * `POST /{db}/_find` → `{ docs, bookmark, execution_stats, warning }`, documents as they are found
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function find (req, res) {
  const feed = liveFeedOf(req.args)
  if (feed !== 'normal') return sendLive(/** @type {DatabaseRequest} */ (req), res, findOf(req), feed)
  const print = req.merging?.find
  const store = await raw(req)
  const asked = findOf(req)
  const reader = readerOf(req, store)
  if (isObject(asked) && asked.at !== undefined) {
    if (reader !== undefined) throw createError('FORBIDDEN', { reason: 'Only administrators may find in the past of a database with access by document.' })
    return findAt(req, res, store, asked, print)
  }
  const isWanted = () => !res.destroyed
  if (req.merging?.ranks) return sendJson(res, 200, await req.service.mango.ranks(store, asked, reader, isWanted))
  await sendFound(req, res, await req.service.mango.search(store, asked, print, reader, isWanted), print)
}

/**
 * The member who asks, in a database with access by document.
 *
 * @param {PotorooRequest} req
 * @param {import('@potoroo/document-store').DocumentStore} store
 */
function readerOf ({ database, user }, store) { return database?.isOfMember ? store.forMember(user) : undefined }

/**
 * The same with `at`, in the database as it was.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, any>} asked
 * @param {string | undefined} print of the plan that a coordinator wants
 */
async function findAt (req, res, store, { at, ...asked }, print) {
  const { moments } = req.service
  const partition = typeof asked.partition === 'string' && asked.partition !== '' ? asked.partition : undefined
  await moments.use(store, { at: readMoment(store, at), partition }, async past => {
    await sendFound(req, res, await moments.search(past, asked, print), print)
  })
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {import('@potoroo/indexes').FindAnswer} answer @param {string | undefined} print */
async function sendFound (req, res, answer, print) {
  if (print !== undefined) return sendPlaced(req, res, answer)
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  try {
    out.push('{"docs":[')
    if (!await writeDocuments(out, answer.texts())) return
  } finally {
    await answer.close()
    countFind(req.service.counts, answer.figures)
  }
  const members = Object.entries(answer.summary()).map(([name, value]) => `,\r\n"${name}": ${JSON.stringify(value)}`)
  out.push(`\r\n]${members.join('')}}\r\n`)
  out.end()
}

/**
 * `GET /{db}/_find?feed=eventsource&request=…`: what a browser's EventSource can ask. Without a feed there is no such method.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function findByGet (req, res) {
  const { args } = req
  if (args.feed === undefined || req.method === 'HEAD') throw Object.assign(createError('METHOD_NOT_ALLOWED', { reason: 'Only POST allowed' }), { headers: { Allow: 'POST' } })
  if (args.request === undefined) throw badRequest('A live query by GET has its body in the parameter `request`, as JSON')
  req.body = args.request
  return find(req, res)
}

/**
 * Answers the coordinator of a database of several shards: see shards/find.js.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {import('@potoroo/indexes').FindAnswer} answer
 */
async function sendPlaced (req, res, answer) {
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req) })
  out.push(`${JSON.stringify(answer.plan).slice(0, -1)},"docs":[`)
  try {
    if (!await writeDocuments(out, answer.placedTexts())) return
  } finally {
    countFind(req.service.counts, answer.figures)
  }
  const { keys, documents } = answer.figures
  out.push(`],"keys":${keys},"documents":${documents}}\n`)
  out.end()
}

/** @param {ResponseWriter} out @param {Iterable<string[]> | AsyncIterable<string[]>} pages @returns {Promise<boolean>} whether somebody reads on */
async function writeDocuments (out, pages) {
  let separator = '\r\n'
  for await (const texts of pages) {
    for (const text of texts) {
      out.push(separator + text)
      separator = ',\r\n'
    }
    if (out.full) await out.flush()
    if (out.closed) return false
  }
  return true
}

/**
 * `POST /{db}/_explain`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function explain (req, res) {
  const store = await raw(req)
  sendJson(res, 200, await req.service.mango.explain(store, findOf(req), readerOf(req, store)))
}

/**
 * `GET /{db}/_index`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function listIndexes (req, res) {
  const { limit, skip } = req.args
  if (limit < 1 || skip < 0) throw createError('BAD_INDEX_RANGE')
  // Learned indexes tell what others ask.
  const part = req.database?.isOfMember ? { ...req.args, adaptive: false } : req.args
  sendJson(res, 200, await req.service.mango.list(await raw(req), part))
}

/** @param {string} text */
function integer (text) {
  if (!/^[+-]?\d+$/.test(text)) throw createError('BAD_INDEX_RANGE')
  return Number(text)
}

/** Indexes are everybody's; what this user may see was decided before. @param {PotorooRequest} req */
function raw (req) { return req.service.databases.get(req.params.db) }

/**
 * `POST /{db}/_index`: writes a design document, so it is for those who may.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function createIndex (req, res) {
  sendJson(res, 200, await req.service.mango.create(asStore(req.database), req.body))
}

/**
 * `DELETE /{db}/_index/{ddoc}/{type}/{name}`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function deleteIndex (req, res) {
  const { design, type, name } = req.params
  if (type !== 'json' && type !== 'text' && type !== 'nouveau' && type !== 'vector') throw createError('MISSING')
  sendJson(res, 200, await req.service.mango.delete(asStore(req.database), design, name, type))
}

/**
 * `POST /{db}/_index/_bulk_delete` with `{ docids }` → `{ success, fail }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function deleteIndexes (req, res) {
  sendJson(res, 200, await req.service.mango.bulkDelete(asStore(req.database), req.body))
}

function noSuchIndex () { throw createError('MISSING') }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_find', who: 'member', byDocument: true, reads: true, allow: 'POST', body: 'typed-json', query: liveQuery, threads: { parameters: [], givesBack: true }, shards: 'find', webSocket: args => !args.has('request'), handler: find },
  { method: 'GET', path: '/:db/_find', who: 'member', byDocument: true, query: { ...liveQuery, request: 'json' }, shards: 'find', webSocket: args => args.has('request'), handler: findByGet },
  { method: 'POST', path: '/:db/_explain', who: 'member', byDocument: true, reads: true, body: 'typed-json', shards: 'explain', handler: explain },
  { method: 'GET', path: '/:db/_index', who: 'member', byDocument: true, allow: 'GET,POST', query: { limit: integer, skip: integer, adaptive: 'boolean' }, shards: 'any', handler: listIndexes },
  { method: 'POST', path: '/:db/_index', who: 'member', body: 'typed-json', shards: 'createIndex', handler: createIndex },
  { method: 'POST', path: '/:db/_index/_bulk_delete', who: 'member', body: 'typed-json', shards: 'deleteIndexes', handler: deleteIndexes },
  { method: 'DELETE', path: '/:db/_index/:design/:type/:name', who: 'member', shards: 'deleteIndex', handler: deleteIndex },
  { method: 'DELETE', path: '/:db/_index/_design/:design/:type/:name', who: 'member', shards: 'deleteIndex', handler: deleteIndex },
  // CouchDB has these find, whatever stands behind.
  { method: 'POST', path: '/:db/_find/:rest+', who: 'member', byDocument: true, reads: true, body: 'typed-json', shards: 'find', handler: find },
  { method: 'POST', path: '/:db/_explain/:rest+', who: 'member', byDocument: true, reads: true, body: 'typed-json', shards: 'explain', handler: explain },
  { method: 'GET', path: '/:db/_index/:rest+', who: 'member', anyMethod: true, shards: 'any', handler: noSuchIndex }
]
