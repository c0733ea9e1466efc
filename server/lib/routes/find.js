'use strict'

const { sendJson } = require('../response')

/** `POST /{db}/_find` */
async function find (req, res) {
  sendJson(res, 200, await req.service.mango.find(await raw(req), req.body))
}

/** `POST /{db}/_explain` */
async function explain (req, res) {
  sendJson(res, 200, await req.service.mango.explain(await raw(req), req.body))
}

/** `GET /{db}/_index` */
async function listIndexes (req, res) {
  sendJson(res, 200, await req.service.mango.list(await raw(req)))
}

/** Indexes are everybody's; what this user may see was decided before. */
function raw (req) { return req.service.databases.get(req.params.db) }

/** `POST /{db}/_index`: writes a design document, so it is for those who may. */
async function createIndex (req, res) {
  sendJson(res, 200, await req.service.mango.create(req.database, req.body))
}

/** `DELETE /{db}/_index/{ddoc}/json/{name}` */
async function deleteIndex (req, res) {
  const { design, name } = req.params
  sendJson(res, 200, await req.service.mango.delete(req.database, design, name))
}

/** `POST /{db}/_index/_bulk_delete` with `{ docids }` */
async function deleteIndexes (req, res) {
  const success = []
  const fail = []
  for (const id of req.body?.docids ?? []) {
    try {
      const { rev } = await req.database.get(id)
      await req.database.put({ _id: id, _rev: rev, _deleted: true })
      success.push({ id, ok: true })
    } catch (error) {
      fail.push({ id, error: error.reason ?? error.message })
    }
  }
  sendJson(res, 200, { success, fail })
}

module.exports = [
  { method: 'POST', path: '/:db/_find', who: 'member', body: 'typed-json', handler: find },
  { method: 'POST', path: '/:db/_explain', who: 'member', body: 'typed-json', handler: explain },
  { method: 'GET', path: '/:db/_index', who: 'member', handler: listIndexes },
  { method: 'POST', path: '/:db/_index', who: 'member', body: 'typed-json', handler: createIndex },
  { method: 'POST', path: '/:db/_index/_bulk_delete', who: 'member', body: 'typed-json', handler: deleteIndexes },
  { method: 'DELETE', path: '/:db/_index/:design/json/:name', who: 'member', handler: deleteIndex },
  { method: 'DELETE', path: '/:db/_index/_design/:design/json/:name', who: 'member', handler: deleteIndex }
]
