'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { readMoment } = require('../../databases/moment')
const { readView, readViewQueries } = require('../../documents/view-query')
const { writeView } = require('../../documents/view-rows')
const { jsonType, sendJson } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../documents/view-query').ViewArgs} ViewArgs */

/** The index is everybody's; what this user may see was decided before. @param {PotorooRequest} req */
function storeOf (req) { return req.service.databases.get(req.params.db) }

/** @param {string} ddoc */
function designName (ddoc) { return ddoc.slice('_design/'.length) }

/** The answers of a view to several queries, each made when it is asked for. @typedef {Array<() => Promise<import('@potoroo/indexes').ViewResult>>} Answers */

/**
 * @param {PotorooRequest} req
 * @param {ViewArgs[]} several
 * @param {(database: any, answers: Answers) => Promise<void>} send
 */
async function ask (req, several, send) {
  const { service, params } = req
  const database = await storeOf(req)
  const at = momentOf(several)
  const reader = readerOf(req, database)
  if (at !== undefined && reader !== undefined) throw createError('FORBIDDEN', { reason: 'Only administrators may read views of the past in a database with access by document.' })
  const query = (/** @type {any} */ store, /** @type {ViewArgs[]} */ queries) => service.views.queries(store, designName(params.ddoc), params.view, queries, reader)
  if (at === undefined) return send(database, await query(database, several))
  const partition = several.length === 1 ? several[0].partition : undefined
  await service.moments.use(database, { at: readMoment(database, at), partition, designs: [params.ddoc] }, async past => {
    await send(database, await query(past, several.map(args => ({ ...args, update: true }))))
  })
}

/**
 * The member who asks, in a database with access by document.
 *
 * @param {PotorooRequest} req
 * @param {import('@potoroo/document-store').DocumentStore} store
 */
function readerOf ({ database, user }, store) { return database?.isOfMember ? store.forMember(user) : undefined }

/** The moment that all queries ask for. @param {ViewArgs[]} several */
function momentOf (several) {
  const [at, ...others] = new Set(several.map(args => args.at))
  if (others.length > 0) throw badRequest('All queries must have the same `at`')
  return at
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
function start (req, res) {
  return new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
}

/**
 * `GET` and `POST /{db}/_design/{ddoc}/_view/{view}` → `{ total_rows, offset, rows }`, or `{ rows }` of a reduction
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function answerOne (req, res) {
  const args = readView(req)
  await ask(req, [args], async (database, answers) => {
    const answer = await answers[0]()
    const out = start(req, res)
    if (req.method === 'HEAD') await answer.close()
    else await writeView(out, database, answer, args)
    out.push('\n')
    out.end()
  })
}

/**
 * `POST …/_view/{view}/queries` with `{ queries: […] }` → `{ results: […] }`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function postQueries (req, res) {
  const several = await readViewQueries(req)
  await ask(req, several, (database, answers) => sendSeveral(req, res, database, answers, several))
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {any} database @param {Answers} answers @param {ViewArgs[]} several */
async function sendSeveral (req, res, database, answers, several) {
  const out = start(req, res)
  out.push('{"results":[\r\n')
  for (const [i, answer] of answers.entries()) {
    if (i > 0) out.push(',\r\n')
    await writeView(out, database, await answer(), several[i])
    if (out.closed) return
    await out.pause()
  }
  out.push('\r\n]}\n')
  out.end()
}

/**
 * `GET /{db}/_design/{ddoc}/_info`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function getInfo (req, res) {
  const { service, params } = req
  const database = await storeOf(req)
  const name = designName(params.ddoc)
  const info = await service.views.info(database, name)
  const pending = database.updateSeq - info.update_seq
  sendJson(res, 200, {
    name,
    view_index: {
      updates_pending: { minimum: pending, preferred: pending, total: pending },
      waiting_commit: false,
      waiting_clients: info.waiting_clients,
      updater_running: info.updater_running,
      update_seq: info.update_seq,
      sizes: { file: info.sizes.file, external: info.sizes.external, active: info.sizes.active },
      signature: info.signature,
      purge_seq: info.purge_seq,
      language: info.language,
      collator_versions: info.collator_versions,
      compact_running: false
    }
  })
}

/**
 * `POST /{db}/_view_cleanup` → 202
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function cleanUp (req, res) {
  await req.service.views.cleanup(await storeOf(req))
  sendJson(res, 202, { ok: true })
}

/**
 * `POST /{db}/_compact/{ddoc}` → 202: rows are updated in place, so there is nothing to do.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function compactViews (req, res) {
  await req.database.get(`_design/${req.params.name}`)
  sendJson(res, 202, { ok: true })
}

/** `/{db}/_temp_view`, which CouchDB has no more. */
function temporaryView () { throw createError('NO_TEMPORARY_VIEWS') }

/** No view has such a path, and no attachment. */
function notAView () {
  throw Object.assign(createError('METHOD_NOT_ALLOWED', { reason: 'Only GET,POST,HEAD allowed' }), { headers: { Allow: 'GET,POST,HEAD' } })
}

/** With `at` they are of the past. */
const threads = {
  parameters: [
    'key', 'keys', 'startkey', 'start_key', 'startkey_docid', 'start_key_doc_id', 'endkey', 'end_key', 'endkey_docid', 'end_key_doc_id', 'inclusive_end', 'descending',
    'limit', 'skip', 'reduce', 'group', 'group_level', 'include_docs', 'conflicts', 'attachments', 'att_encoding_info', 'sorted', 'stable', 'stale', 'update', 'partition', 'meta'
  ],
  durable: ['update_seq'],
  givesBack: true
}

const view = '/:db/:ddoc/_view/:view'
const metric = 'couchdb.httpd.view_reads'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: view, who: 'member', byDocument: true, metric, allow: 'GET,POST,HEAD', threads, shards: 'view', handler: answerOne },
  { method: 'POST', path: view, who: 'member', byDocument: true, reads: true, metric, body: 'typed-json', threads, shards: 'view', handler: answerOne },
  { method: 'POST', path: `${view}/queries`, who: 'member', byDocument: true, reads: true, metric, body: 'typed-json', shards: 'viewQueries', handler: postQueries },
  { method: 'GET', path: '/:db/:ddoc/_info', who: 'member', whoIn: { replications: 'member' }, allow: 'GET', shards: 'indexInfo', handler: getInfo },
  { method: 'POST', path: '/:db/_view_cleanup', who: 'maintainer', shards: 'all', handler: cleanUp },
  { method: 'POST', path: '/:db/_compact/:name', who: 'maintainer', body: 'typed-nothing', shards: 'all', handler: compactViews },
  ...['/:db/:ddoc/_view', `${view}/:rest+`].flatMap(path => ['GET', 'POST', 'PUT', 'DELETE', 'COPY'].map(method => ({ method, path, who: 'member', allow: 'GET,POST,HEAD', shards: 'any', handler: notAView }))),
  ...['GET', 'POST', 'PUT', 'DELETE', 'COPY'].map(method => ({ method, path: '/:db/_temp_view', who: 'member', metric: 'couchdb.httpd.temporary_view_reads', shards: 'any', handler: temporaryView }))
]
