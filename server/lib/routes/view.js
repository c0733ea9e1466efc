'use strict'

const { createError } = require('@potoroo/errors')
const { types, oneOf } = require('../query')
const { sendJson } = require('../response')
const { formatSequence } = require('../sequence')

const update = (text, name) => text === 'lazy' ? text : types.boolean(text, name)

const parameters = {
  key: 'json',
  keys: 'array',
  startkey: 'json',
  start_key: 'json',
  startkey_docid: 'string',
  start_key_doc_id: 'string',
  endkey: 'json',
  end_key: 'json',
  endkey_docid: 'string',
  end_key_doc_id: 'string',
  inclusive_end: 'boolean',
  descending: 'boolean',
  limit: 'count',
  skip: 'count',
  reduce: 'boolean',
  group: 'boolean',
  group_level: 'count',
  include_docs: 'boolean',
  conflicts: 'boolean',
  attachments: 'boolean',
  stable: 'boolean',
  sorted: 'boolean',
  stale: oneOf('ok', 'update_after'),
  update,
  update_seq: 'boolean'
}

/** Options in a body are values already; those of another type than the parameter's are refused. */
function fromBody (body) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw createError('BAD_REQUEST', { reason: 'Request body must be a JSON object' })
  const options = {}
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(parameters, name)) continue
    const type = parameters[name]
    const text = typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value)
    options[name] = type === 'json' ? value : (typeof type === 'function' ? type : types[type])(text, name)
  }
  return options
}

async function query (req, options) {
  const { service, params } = req
  // The index is everybody's; what this user may see was decided before.
  const database = await service.databases.get(params.db)
  const answer = await service.views.query(database, designName(params.ddoc), params.view, options)
  if (answer.update_seq === undefined) return answer
  return { ...answer, update_seq: formatSequence(database, answer.update_seq) }
}

function designName (ddoc) { return ddoc.slice('_design/'.length) }

/** `GET /{db}/_design/{ddoc}/_view/{view}` */
async function getView (req, res) {
  sendJson(res, 200, await query(req, req.args))
}

/** The same with parameters in the body; those in the path go before. */
async function postView (req, res) {
  sendJson(res, 200, await query(req, { ...fromBody(req.body ?? {}), ...req.args }))
}

/** `POST …/_view/{view}/queries` with `{ queries: […] }` → `{ results: […] }` */
async function postQueries (req, res) {
  const { queries } = req.body ?? {}
  if (!Array.isArray(queries)) throw createError('BAD_REQUEST', { reason: '`queries` member must exist.' })
  const results = []
  for (const each of queries) results.push(await query(req, { ...fromBody(each), ...req.args }))
  sendJson(res, 200, { results })
}

/** `GET /{db}/_design/{ddoc}/_info` */
async function getInfo (req, res) {
  const { service, params } = req
  const database = await service.databases.get(params.db)
  const name = designName(params.ddoc)
  const info = await service.views.info(database, name)
  sendJson(res, 200, {
    name,
    view_index: {
      updates_pending: { minimum: 0, preferred: 0, total: database.updateSeq - info.update_seq },
      waiting_commit: false,
      waiting_clients: 0,
      updater_running: info.updater_running,
      update_seq: info.update_seq,
      signature: info.signature,
      purge_seq: info.purge_seq,
      language: info.language,
      compact_running: false
    }
  })
}

/** `POST /{db}/_view_cleanup` → 202 */
async function cleanUp (req, res) {
  await req.service.views.cleanup(await req.service.databases.get(req.params.db))
  sendJson(res, 202, { ok: true })
}

/** `POST /{db}/_compact/{ddoc}` → 202: rows are updated in place, so there is nothing to do. */
async function compactViews (req, res) {
  await req.database.get(`_design/${req.params.name}`)
  sendJson(res, 202, { ok: true })
}

const view = '/:db/:ddoc/_view/:view'

module.exports = [
  { method: 'GET', path: view, who: 'member', query: parameters, handler: getView },
  { method: 'POST', path: view, who: 'member', query: parameters, body: 'optional-json', handler: postView },
  { method: 'POST', path: `${view}/queries`, who: 'member', query: parameters, body: 'typed-json', handler: postQueries },
  { method: 'GET', path: '/:db/:ddoc/_info', who: 'member', handler: getInfo },
  { method: 'POST', path: '/:db/_view_cleanup', who: 'database-admin', body: 'typed-nothing', handler: cleanUp },
  { method: 'POST', path: '/:db/_compact/:name', who: 'database-admin', body: 'typed-nothing', handler: compactViews }
]
