'use strict'

const crypto = require('node:crypto')
const { badRequest } = require('@potoroo/errors')
const { NODE } = require('../../service/node-name')
const { prefersHtml } = require('../../http/accept')
const { notModified, sendJson } = require('../../http/response')
const { sendWelcomePage } = require('./welcome-page')
const { welcomeOf } = require('../../service/welcome')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /`: JSON, or a page for who opens it in a browser.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function welcome (req, res) {
  if (prefersHtml(req)) sendWelcomePage(req, res)
  else sendJson(res, 200, welcomeOf(req.service))
}

const FAULTS = { full: 'The storage is full', failed: 'The storage can be written to no longer' }

/**
 * `GET /_up`; under maintenance, or where nothing can be written, load balancers are to look elsewhere.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function up (req, res) {
  const mode = req.service.config.get('couchdb', 'maintenance_mode')
  if (mode === 'true' || mode === 'nolb') return sendJson(res, 404, { status: mode === 'true' ? 'maintenance_mode' : 'nolb' })
  const fault = await req.service.storage.writeFault()
  if (fault !== null) return sendJson(res, 503, { status: fault, reason: FAULTS[fault] })
  if (req.service.cluster?.isAlive === false) return sendJson(res, 503, { status: 'unreachable', reason: 'The storage cannot be reached' })
  sendJson(res, 200, { status: 'ok', seeds: {} })
}

/** CouchDB words it otherwise than other numbers. @param {string} text */
function uuidCount (text) {
  if (/^\+?\d+$/.test(text)) return Number(text)
  throw badRequest('count must be a positive integer')
}

/** Whatever is configured: all of them are made at once. */
const MOST_UUIDS = 1_000_000

const NOT_CACHED = { 'Cache-Control': 'no-cache', Pragma: 'no-cache', Expires: 'Mon, 01 Jan 1990 00:00:00 GMT' }

/**
 * `GET /_uuids?count=n`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function uuids (req, res) {
  const { count = 1 } = req.args
  if (count > Math.min(req.service.config.integer('uuids', 'max_count'), MOST_UUIDS)) throw badRequest('count parameter too large')
  const list = req.service.uuids.make(count)
  const etag = `"${crypto.hash('md5', list.join())}"`
  if (!notModified(res, etag)) sendJson(res, 200, { uuids: list }, { ...NOT_CACHED, ETag: etag })
}

/**
 * `GET /_membership`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function membership (req, res) {
  const nodes = req.service.cluster?.names ?? [NODE]
  sendJson(res, 200, { all_nodes: nodes, cluster_nodes: nodes })
}

/**
 * `POST /_reload_query_servers`: functions of design documents run on new threads from here on.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function reloadQueryServers (req, res) {
  req.service.queryServer.reload()
  sendJson(res, 200, { ok: true })
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
function favicon (req, res) {
  res.statusCode = 204
  res.setHeader('Cache-Control', 'public, max-age=31536000')
  res.end()
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/', who: 'anyone', threads: { parameters: [] }, handler: welcome },
  { method: 'GET', path: '/_up', who: 'anyone', handler: up },
  { method: 'GET', path: '/_uuids', who: 'anyone', allow: 'GET', query: { count: uuidCount }, handler: uuids },
  { method: 'GET', path: '/_membership', who: 'admin', allow: 'GET', handler: membership },
  { method: 'POST', path: '/_reload_query_servers', who: 'admin', body: 'typed-nothing', handler: reloadQueryServers },
  { method: 'GET', path: '/favicon.ico', who: 'anyone', handler: favicon }
]
