'use strict'

const { changesQuery } = require('./query')
const { parseQuery } = require('../http/query')

const LASTING = /(?:^|&)feed=(?:longpoll|continuous|live|eventsource)(?:&|$)/

/** Whether a feed goes on after the changes until now. @param {string} search of the URL */
function isLasting (search) { return LASTING.test(search) }

/**
 * Whether a feed of a database in one piece tells everybody the same: such feeds of one server follow the owner together.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 */
function isForAll ({ method, search, params: { db }, service, inShard, internal }) {
  if (method !== 'GET' || inShard || internal || !isLasting(search) || db.endsWith('_replicator') || service.users.isUsersDatabase(db)) return false
  try {
    const { filter, descending } = parseQuery(search, changesQuery)
    return filter === undefined && descending !== true
  } catch {
    // Its owner says what is wrong.
    return false
  }
}

module.exports = { isForAll, isLasting }
