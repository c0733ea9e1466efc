'use strict'

const { createError } = require('@potoroo/errors')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `POST /_shrink`, of this server alone → 200 `{ before, after }`, bytes on the disk: the pool gives the
 * file system the space that it does not need, while it is in use. 501 of other storages.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function shrink (req, res) {
  const { level } = req.service.storage
  if (typeof level.compact !== 'function') {
    throw createError('NOT_IMPLEMENTED', { reason: 'Only a pool can be shrunk. LevelDB shrinks by itself.' })
  }
  sendJson(res, 200, await level.compact())
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/_shrink', who: 'admin', body: 'typed-nothing', handler: shrink }
]
