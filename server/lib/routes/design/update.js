'use strict'

const { toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { isObject } = require('../../documents/input')
const { limitDocuments } = require('../../documents/size-limits')
const { designOf } = require('../../functions/design')
const { documentFor } = require('../../functions/document')
const { readResponse, sendResponse } = require('../../functions/function-response')
const { bodyText, requestObject } = require('../../functions/request-object')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `/{db}/_design/{ddoc}/_update/{func}[/{docid}]` of any method but GET: the function makes the document
 * that is written, and the response.
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/render.html#db-design-design-doc-update-update-name
 */
async function update (req, res) {
  const { service, params: { db, ddoc, name, id = null } } = req
  const store = await service.databases.get(db)
  const design = await designOf(store, ddoc, service.counts)
  const functions = design.function('updates', name)
  const document = id === null ? null : await documentFor(req, id)
  const request = await requestObject(req, { store: req.database, id, body: await bodyText(req) })
  const json = `{"doc":${document === null ? 'null' : toJson(document)},"req":${JSON.stringify(request)}}`
  const { doc, response } = Object(await service.queryServer.render(functions, 'update', json))
  if (!isObject(doc)) return sendResponse(req, res, readResponse(response))
  const { rev } = await write(req, doc)
  sendResponse(req, res, readResponse({ code: 201, ...response }), { 'X-Couch-Update-NewRev': rev, 'X-Couch-Id': encodeURIComponent(doc._id.toWellFormed()) })
}

/** @param {DatabaseRequest} req @param {any} doc */
async function write (req, doc) {
  // The document's history, which the function was told, is no part of it.
  delete doc._revisions
  delete doc._conflicts
  if (doc._id === undefined || doc._id === '') throw createError('ILLEGAL_DOCID', { reason: 'Document id must not be empty' })
  // How long the request was says nothing of what the function made.
  limitDocuments(req, [doc], Infinity)
  return req.database.put(doc, { checkLocal: false })
}

function invalidPath () { throw createError('MISSING', { error: 'update_error', reason: 'Invalid path.' }) }

const path = '/:db/:ddoc/_update'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = ['GET', 'POST', 'PUT', 'DELETE', 'COPY'].flatMap(method => [
  { method, path, who: 'member', byDocument: true, shards: 'document', handler: invalidPath },
  { method, path: `${path}/:name`, who: 'member', byDocument: true, shards: 'document', handler: update },
  { method, path: `${path}/:name/:id+`, who: 'member', byDocument: true, shards: 'document', handler: update }
])
