'use strict'

const { SELF, askInside } = require('../passing/inner-request')

/** @typedef {import('../auth/authenticator').User} User */
/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */
/** @typedef {import('../service/request-service').RequestService} RequestService */

/** Answers a request that came from elsewhere than a socket: see dispatcher.js. @typedef {(service: RequestService, req: any, res: any) => Promise<void>} Answerer */

/**
 * @typedef {object} Question
 * @property {string} path below the database, with its query: `/_all_docs?limit=1`; '' is the database itself
 * @property {User} user who asks
 * @property {string} [method] GET unless it is said
 * @property {Record<string, string>} [headers] with names in lower case
 * @property {string | Buffer} [body] JSON, unless `headers` say something else
 * @property {AbortSignal} [signal] breaks it off
 * @property {import('../dispatch/request').Merging} [merging] how its answer is merged with those of other shards
 */

/**
 * Asks a shard, which may be another server's. The request counts as one of the client's.
 *
 * @param {RequestService} service
 * @param {Answerer} answer
 * @param {string} shard its name
 * @param {Question} question
 * @returns {Promise<Answer>} once its status is known
 */
function ask (service, answer, shard, { path, user, merging, ...question }) {
  return askInside((req, res) => answer(service, req, res), { ...question, url: urlOf(shard, path), extra: { user, forwarded: 1, inShard: true, merging } })
}

/** @param {string} shard @param {string} path */
function urlOf (shard, path) { return `/${encodeURIComponent(shard)}${path}` }

module.exports = { ask, urlOf, SELF }
