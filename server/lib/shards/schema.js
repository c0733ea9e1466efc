'use strict'

const { writeDesign } = require('./design-copies')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `PUT` and `DELETE /{db}/_schema/{schema}`: the shard of the design document writes it, and the others get copies.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function changeSchema (coordinator, res) {
  const { req } = coordinator
  const body = req.body === undefined ? undefined : JSON.stringify(req.body)
  await writeDesign(coordinator, `_design/${req.params.schema}`, res, { method: req.method, path: req.url.replace(/^\/+[^/?]+/, ''), body })
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = { changeSchema: { answer: changeSchema } }
