'use strict'

const { createError } = require('@potoroo/errors')
const { shardOf } = require('@potoroo/document-store')
const access = require('../auth/access')
const { Change } = require('../dispatch/reroute')
const { bytesOf, readers } = require('../http/body')
const { parseQuery } = require('../http/query')
const { ask, SELF, urlOf } = require('./ask')
const { failureOf, orFailure } = require('./failure')

/** @typedef {import('@potoroo/document-store').ShardedDatabase} ShardedDatabase */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/route-table').Route} Route */
/** @typedef {import('./ask').Answerer} Answerer */
/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */

/** A question by who asks the coordinator. @typedef {Omit<import('./ask').Question, 'user'> & { user?: import('../auth/authenticator').User }} Question */

/** Answers one request to a database of several shards: it knows them, and asks them on behalf of who asks. */
class Coordinator {
  #answer

  /**
   * @param {PotorooRequest} req
   * @param {ShardedDatabase} database
   * @param {Answerer} answer
   */
  constructor (req, database, answer) {
    this.req = req
    this.database = database
    this.service = req.service
    this.#answer = answer
  }

  get shards () { return this.database.shards }

  /** The index of the shard that a document is in. @param {string} id */
  shardOf (id) { return shardOf(id, this.database) }

  /** @param {number} index @param {Question} question @returns {Promise<Answer>} */
  ask (index, question) {
    const { user, headers, socket } = this.req
    return ask(this.service, this.#answer, this.shards[index], { user, ...question, headers: { ...placeOf(headers, socket), ...question.headers } })
  }

  /** Asks, and throws what the shard refused. @param {number} index @param {Question} question @returns {Promise<Answer>} */
  async askOrFail (index, question) { return orFailure(await this.ask(index, question)) }

  /** Asks all of the shards at once. @param {Question} question @returns {Promise<Answer[]>} */
  async askAll (question) {
    const answers = await Promise.all(this.shards.map((_, index) => this.ask(index, question)))
    const failed = answers.find(({ ok }) => !ok)
    if (failed === undefined) return answers
    for (const answer of answers) if (answer !== failed) answer.close()
    throw await failureOf(failed)
  }

  /** @param {Question} question @returns {Promise<any[]>} what they say, as JSON */
  async askAllJson (question) { return Promise.all((await this.askAll(question)).map(answer => answer.json())) }

  /**
   * Has the request answered by one shard, as it is.
   *
   * @param {number} index
   * @param {{ body?: Buffer, url?: string, method?: string }} [change]
   */
  pass (index, { body, url = this.req.url, method } = {}) {
    return new Change({ url: inShard(url, this.shards[index]), body, method, inShard: true })
  }

  /** Lets only those on whom the route says may. @param {Route} route */
  async admit (route) {
    const { req } = this
    const security = await (await this.askOrFail(0, { path: '/_security', user: SELF })).json()
    access.admit(req.user, /** @type {import('../dispatch/route-table').Who} */ (route.who), security)
  }

  /** Reads query and body as the route declares them. @param {Route} route */
  async read (route) {
    const { req, service } = this
    req.args = parseQuery(req.search, route.query ?? {})
    if (route.body !== undefined) req.body = await readers[route.body](req, bytesOf(route, service))
  }
}

/** The headers that say where the server is, for URLs that it tells. */
const PLACE = ['host', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-ssl']

/** @param {import('../dispatch/request').PotorooRequest['headers']} headers @param {{ encrypted?: boolean }} socket */
function placeOf (headers, socket) {
  /** @type {Record<string, string>} */
  const place = socket?.encrypted ? { 'x-forwarded-proto': 'https' } : {}
  for (const name of PLACE) if (headers[name] !== undefined) place[name] = /** @type {string} */ (headers[name])
  return place
}

/** The URL of a request with the shard in place of its database. @param {string} url @param {string} shard */
function inShard (url, shard) { return url.replace(/^\/+[^/?]+/, urlOf(shard, '')) }

/** @param {Route} route */
function notReached (route) {
  return createError('NOT_IMPLEMENTED', { reason: `${route.method} ${route.path} is not implemented for databases of several shards` })
}

module.exports = { Coordinator, notReached }
