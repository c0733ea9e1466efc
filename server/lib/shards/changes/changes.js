'use strict'

const { changesQuery } = require('../../changes/query')
const { requireObject } = require('../../documents/input')
const { parseQuery } = require('../../http/query')
const { numberOf } = require('../../stats/metrics')
const { Coordinator } = require('../coordinator')
const { ShardedFeed } = require('./feed')

/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

const FOLLOWERS = numberOf('couchdb.httpd.clients_requesting_changes')

/**
 * `GET` and `POST /{db}/_changes`.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 */
async function changes (coordinator, res) {
  const { req, service } = coordinator
  if (req.body !== undefined) requireObject(req.body)
  const feed = new ShardedFeed(coordinator, res)
  service.counts.count(FOLLOWERS)
  try {
    await feed.run()
  } finally {
    service.counts.count(FOLLOWERS, -1)
  }
}

/**
 * Answers with a feed of a database that another server owns. That one says who may: it is asked for the changes until
 * now on behalf of who asks here.
 *
 * @param {import('../../dispatch/request').PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {import('../ask').Answerer} answer
 */
function followOwner (req, res, answer) {
  const name = req.params.db
  req.args = parseQuery(req.search, changesQuery)
  const database = { name, q: 1, partitioned: false, instanceId: '', createdAt: 0, shards: [name] }
  return changes(new Coordinator(req, database, answer), res)
}

/** @type {Record<string, import('../handlers').ShardedHandler>} */
const handlers = { changes: { answer: changes } }

module.exports = { followOwner, handlers }
