'use strict'

const { requireNode } = require('../../service/node-name')
const { sendJson } = require('../../http/response')
const { measure, toTree } = require('../../stats/measures')
const { exposition } = require('../../stats/prometheus')
const { systemFigures } = require('../../stats/system')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /_node/{node}/_stats`, or a part of its tree: `…/_stats/couchdb/request_time`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function stats (req, res) {
  requireNode(req.params.node)
  let part = /** @type {any} */ (toTree(await measure(req.service)))
  for (const step of (req.params.path ?? '').split('/').filter(Boolean)) {
    part = typeof part === 'object' && part !== null && Object.hasOwn(part, step) ? part[step] : null
  }
  sendJson(res, 200, part)
}

/**
 * `GET /_node/{node}/_prometheus`
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function prometheus (req, res) {
  requireNode(req.params.node)
  const { service } = req
  const text = exposition(await measure(service), systemFigures(service), service.cluster?.names.length)
  res.statusCode = 200
  res.setHeader('Content-Type', 'text/plain; version=2.0')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(req.method === 'HEAD' ? undefined : text)
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_node/:node/_stats', who: 'metrics', allow: 'GET', handler: stats },
  { method: 'GET', path: '/_node/:node/_stats/:path+', who: 'metrics', allow: 'GET', handler: stats },
  { method: 'GET', path: '/_node/:node/_prometheus', who: 'metrics', allow: 'GET', handler: prometheus }
]
