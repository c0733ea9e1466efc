'use strict'

const { deleteSchema, getSchema, listSchemas, putSchema } = require('@potoroo/indexes')
const { asStore } = require('../../databases/database-view')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /{db}/_schema` → `{ total_rows, schemas: [{ name, ddoc, rev, schema, selector }] }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function list (req, res) {
  const schemas = await listSchemas(asStore(req.database))
  sendJson(res, 200, { total_rows: schemas.length, schemas })
}

/**
 * `GET /{db}/_schema/{schema}` → `{ name, ddoc, rev, schema, selector }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function get (req, res) { sendJson(res, 200, await getSchema(asStore(req.database), req.params.schema)) }

/**
 * `PUT /{db}/_schema/{schema}` with `{ schema, selector? }` → 201 `{ ok, id, rev, result: 'created' }`, of the design document that it
 * writes; 200 with `exists` where nothing changes.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function put (req, res) {
  const answer = await putSchema(asStore(req.database), req.params.schema, req.body)
  sendJson(res, answer.result === 'created' ? 201 : 200, answer)
}

/**
 * `DELETE /{db}/_schema/{schema}` → 200 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function remove (req, res) { sendJson(res, 200, await deleteSchema(asStore(req.database), req.params.schema)) }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/_schema', who: 'member', byDocument: true, shards: 'any', handler: list },
  { method: 'GET', path: '/:db/_schema/:schema', who: 'member', byDocument: true, shards: 'any', handler: get },
  { method: 'PUT', path: '/:db/_schema/:schema', who: 'database-admin', body: 'json', shards: 'changeSchema', handler: put },
  { method: 'DELETE', path: '/:db/_schema/:schema', who: 'database-admin', shards: 'changeSchema', handler: remove }
]
