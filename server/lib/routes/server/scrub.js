'use strict'

const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `POST /_scrub`, of this server alone → 202: reads all of the storage and checks all databases, while they
 * are in use. One that is under way goes on.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function scrub (req, res) {
  req.service.scrub.start({ documents: true })
  sendJson(res, 202, { ok: true })
}

/**
 * `GET /_scrub` → `{ running, verifies, bytes, total, errors, faults, problems, failed, started_on, ended_on }`: how
 * far it is, or what the last one has found. Times are in seconds, 0 for none; `verifies` says whether the
 * storage verifies checksums.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 */
async function status (req, res) {
  const { running, done, total, errors, faults, problems, failed, startedAt, endedAt } = req.service.scrub.status()
  sendJson(res, 200, {
    running,
    verifies: typeof req.service.storage.level.scrub === 'function',
    bytes: done,
    total,
    errors,
    faults,
    problems,
    failed,
    started_on: Math.floor(startedAt / 1000),
    ended_on: Math.floor(endedAt / 1000)
  })
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/_scrub', who: 'admin', body: 'typed-nothing', handler: scrub },
  { method: 'GET', path: '/_scrub', who: 'admin', handler: status }
]
