'use strict'

const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `POST /_replicate`: 200 when all is copied, 202 when it goes on
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#replicate
 */
async function replicate (req, res) {
  const { body, service, user } = req
  const result = await service.replicator.replicate(body, user)
  const goesOn = result._local_id !== undefined && body.cancel !== true
  sendJson(res, goesOn ? 202 : 200, result)
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/_replicate', who: 'user', owner: '_replicator', body: 'typed-json', handler: replicate }
]
