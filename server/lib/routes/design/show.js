'use strict'

const crypto = require('node:crypto')
const { toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { designOf } = require('../../functions/design')
const { documentFor } = require('../../functions/document')
const { readResponse, sendResponse } = require('../../functions/function-response')
const { bodyText, requestObject } = require('../../functions/request-object')
const { notModified } = require('../../http/response')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../functions/design').Design} Design */
/** @typedef {import('@potoroo/document-store').Document} Document */

/**
 * `/{db}/_design/{ddoc}/_show/{func}[/{docid}]` of any method
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/render.html
 */
async function show (req, res) {
  const { service, params: { db, ddoc, name, id = null } } = req
  const store = await service.databases.get(db)
  const design = await designOf(store, ddoc, service.counts)
  const functions = design.function('shows', name)
  const document = id === null ? null : await documentFor(req, id)
  const etag = etagOf(req, design, document)
  if (notModified(res, etag)) return
  const request = await requestObject(req, { store: req.database, id, body: await bodyText(req) })
  const json = `{"doc":${document === null ? 'null' : toJson(document)},"req":${JSON.stringify(request)}}`
  const response = await service.queryServer.render(functions, 'show', json)
  sendResponse(req, res, readResponse(response), { ETag: etag, Vary: 'Accept' })
}

/**
 * A function is taken to answer the same to who asks for the same.
 *
 * @param {PotorooRequest} req
 * @param {Design} design
 * @param {Document | null} document
 */
function etagOf (req, design, document) {
  const parts = [design.rev, document?.rev ?? null, req.headers.accept ?? null, req.user.roles]
  return `"${crypto.createHash('md5').update(JSON.stringify(parts)).digest('base64url')}"`
}

function invalidPath () { throw createError('MISSING', { error: 'show_error', reason: 'Invalid path.' }) }

const path = '/:db/:ddoc/_show'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = ['GET', 'POST', 'PUT', 'DELETE', 'COPY', 'OPTIONS'].flatMap(method => [
  { method, path, who: 'member', byDocument: true, shards: 'read', handler: invalidPath },
  { method, path: `${path}/:name`, who: 'member', byDocument: true, shards: 'read', handler: show },
  { method, path: `${path}/:name/:id+`, who: 'member', byDocument: true, shards: 'read', handler: show }
])
