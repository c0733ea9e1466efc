'use strict'

const crypto = require('node:crypto')
const { collator } = require('@potoroo/collation')
const { badRequest, createError } = require('@potoroo/errors')
const { readBanner } = require('../../service/banner')
const { NODE, requireNode } = require('../../service/node-name')
const { sendJson } = require('../../http/response')
const { systemFigures } = require('../../stats/system')
const { welcomeOf } = require('../../service/welcome')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** `/_node`: of which node is not said. */
function incomplete () { throw badRequest('Incomplete path to _node request') }

/**
 * `/_node/_local`, by whatever method: the node's name. By its name it is asked what `/` is.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function node (req, res) {
  requireNode(req.params.node)
  if (req.params.node === '_local') return sendJson(res, 200, { name: NODE })
  if (req.method !== 'GET' && req.method !== 'HEAD') throw Object.assign(createError('METHOD_NOT_ALLOWED', { reason: 'Only GET,HEAD allowed' }), { headers: { Allow: 'GET,HEAD' } })
  sendJson(res, 200, welcomeOf(req.service))
}

/**
 * `GET /_node/{node}/_system`: CouchDB's figures as far as they mean something here, and the storage.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function system (req, res) {
  requireNode(req.params.node)
  sendJson(res, 200, systemFigures(req.service))
}

/**
 * `GET /_node/{node}/_versions`; without ICU there is no collation driver.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function versions (req, res) {
  requireNode(req.params.node)
  const driver = collator && {
    name: 'libicu',
    library_version: collator.libraryVersion,
    collation_algorithm_version: collator.algorithmVersion,
    collator_version: collator.collatorVersion
  }
  sendJson(res, 200, {
    javascript_engine: { name: 'quickjs' },
    ...(driver && { collation_driver: driver }),
    potoroo: { version: readBanner().version, supported_hashes: crypto.getHashes() },
    node: process.versions
  })
}

const CHANNELS = ['upgrade_views', 'upgrade_dbs', 'slack_views', 'slack_dbs', 'ratio_views', 'ratio_dbs', 'index_cleanup']

/**
 * `GET /_node/{node}/_smoosh/status`: what compacts by itself. Nothing here waits for that, since space is used again at once.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function smoosh (req, res) {
  requireNode(req.params.node)
  const idle = { waiting: { size: 0, min: 0, max: 0 }, starting: 0, active: 0 }
  sendJson(res, 200, { channels: Object.fromEntries(CHANNELS.map(name => [name, idle])) })
}

/**
 * `POST /_node/{node}/_restart`: a server of its own starts again in place.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
function restart (req, res) {
  requireNode(req.params.node)
  const { onRestart } = req.service.options
  if (onRestart === undefined) throw createError('NOT_IMPLEMENTED', { reason: 'Only a server that the potoroo command runs restarts itself' })
  sendJson(res, 200, { ok: true })
  // Requests under way may end first, this one too.
  setImmediate(onRestart)
}

const methods = /** @type {const} */ (['GET', 'POST', 'PUT', 'DELETE', 'COPY'])

/** @param {string} path @param {(req: any, res: any) => any} handler */
function anyMethod (path, handler) {
  return methods.map(method => ({ method, path, who: 'admin', handler }))
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  ...anyMethod('/_node', incomplete),
  ...anyMethod('/_node/:node', node),
  { method: 'GET', path: '/_node/:node/_system', who: 'metrics', allow: 'GET', handler: system },
  { method: 'GET', path: '/_node/:node/_versions', who: 'admin', allow: 'GET', handler: versions },
  { method: 'GET', path: '/_node/:node/_smoosh/status', who: 'admin', allow: 'GET', handler: smoosh },
  { method: 'POST', path: '/_node/:node/_restart', who: 'admin', handler: restart }
]
