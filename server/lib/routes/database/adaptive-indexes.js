'use strict'

const { badRequest } = require('@potoroo/errors')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** The indexes that a database learns are its own matter; who may see it was decided before. @param {PotorooRequest} req */
function raw (req) { return req.service.databases.get(req.params.db) }

/**
 * `GET /{db}/_adaptive_indexes` → `{ enabled, source, indexes, shapes }`: what was learned, and what is asked and has no index
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function getAdaptiveIndexes (req, res) {
  const { enabled, own, indexes, shapes } = await req.service.adaptive.describe(await raw(req))
  sendJson(res, 200, { enabled, source: own === null ? 'server' : 'database', indexes, shapes })
}

/**
 * `PUT /{db}/_adaptive_indexes` with `true` or `false`, or `null`: as `[mango] adaptive_indexes` says
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function setAdaptiveIndexes (req, res) {
  if (typeof req.body !== 'boolean' && req.body !== null) throw badRequest('`adaptive_indexes` must be true, false or null')
  await req.service.adaptive.enable(await raw(req), req.body)
  sendJson(res, 200, { ok: true })
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/_adaptive_indexes', who: 'member', shards: 'any', handler: getAdaptiveIndexes },
  { method: 'PUT', path: '/:db/_adaptive_indexes', who: 'database-admin', body: 'json', shards: 'all', handler: setAdaptiveIndexes }
]
