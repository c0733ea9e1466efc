'use strict'

const { metaForm, restore } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { readMoment } = require('../../databases/moment')
const { requireObject } = require('../../documents/input')
const { sendParts } = require('../../documents/write-results')
const { jsonType, sendJson } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/document-store').HistoryEntry} HistoryEntry */

/**
 * `GET /{db}/_history` → `{ retain, versions, since }`: null where there is no such limit, and `since` where nothing is kept
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function getRetention (req, res) {
  const { retain = null, versions = null, sinceTime = null } = req.database.retention ?? {}
  sendJson(res, 200, { retain, versions, since: sinceTime && new Date(sinceTime).toISOString() })
}

/**
 * `PUT /{db}/_history` with `{ retain, versions }` → 200 `{ ok }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function setRetention (req, res) {
  await req.database.setRetention(req.body)
  sendJson(res, 200, { ok: true })
}

/**
 * `DELETE /{db}/_history` → 200 `{ ok }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function removeRetention (req, res) {
  await req.database.setRetention({})
  sendJson(res, 200, { ok: true })
}

/**
 * `GET /{db}/{doc}/_history` → `{ id, history: [{ seq, time, user, rev, deleted, patch }] }`, the latest first
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getHistory (req, res) {
  const { args: { limit }, database, params: { doc: id } } = req
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  let before = `{"id":${JSON.stringify(id)},"history":[\r\n`
  for await (const page of database.history(id, { limit })) {
    for (const entry of page) {
      out.push(before + toText(entry))
      before = ',\r\n'
    }
    if (out.full) await out.flush()
    if (out.closed) return
  }
  out.push('\r\n]}\n')
  out.end()
}

/** @param {HistoryEntry} entry */
function toText ({ rev, deleted, patch, ...origin }) {
  const text = JSON.stringify({ ...metaForm(origin), rev, deleted })
  return patch === undefined ? text : `${text.slice(0, -1)},"patch":${patch}}`
}

/**
 * `POST /{db}/_restore` with `{ at, docs: [id] }` → 201 `[{ ok, id, rev } | { id, error, reason }]`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function restoreDocuments (req, res) {
  const { at, ids } = readRestore(req.database, req.body)
  await sendParts(req, res, 201, restore(req.database, at, ids))
}

/**
 * @param {Parameters<typeof readMoment>[0]} database
 * @param {any} body
 * @returns {{ at: number, ids: string[] }}
 */
function readRestore (database, body) {
  const { at, docs } = requireObject(body)
  if (!Array.isArray(docs) || docs.some(id => typeof id !== 'string')) throw badRequest('`docs` must be an array of ids.')
  if (new Set(docs).size < docs.length) throw badRequest('`docs` must name each document once.')
  if (at === undefined) throw badRequest('POST body must include `at` parameter.')
  return { at: readMoment(database, at), ids: docs }
}

/** @type {import('../../dispatch/route-table').Route[]} */
const routes = [
  { method: 'GET', path: '/:db/_history', who: 'member', byDocument: true, allow: 'DELETE,GET,PUT', shards: 'retention', handler: getRetention },
  { method: 'PUT', path: '/:db/_history', who: 'database-admin', body: 'json', shards: 'all', handler: setRetention },
  { method: 'DELETE', path: '/:db/_history', who: 'database-admin', shards: 'all', handler: removeRetention },
  { method: 'POST', path: '/:db/_restore', who: 'member', byDocument: true, body: 'typed-json', shards: 'restore', handler: restoreDocuments },
  { method: 'GET', path: '/:db/:doc/_history', who: 'member', byDocument: true, query: { limit: 'count' }, shards: 'document', handler: getHistory }
]

module.exports = { readRestore, routes }
