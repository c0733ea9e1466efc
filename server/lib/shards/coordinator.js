'use strict'

const { setMaxListeners } = require('node:events')
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
  /** @type {AbortController | undefined} */
  #leaving

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

  /**
   * Asks several shards at once.
   *
   * @param {Array<[index: number, question: Question]>} questions
   * @returns {Promise<Answer[]>} in the order of the questions
   * @throws what one of them refused, once the answers of the others are closed
   */
  async askEach (questions) {
    const answers = await Promise.all(questions.map(([index, question]) => this.ask(index, question)))
    const failed = answers.find(({ ok }) => !ok)
    if (failed === undefined) return answers
    for (const answer of answers) if (answer !== failed) answer.close()
    throw await failureOf(failed)
  }

  /** Asks all of the shards at once. @param {Question} question @returns {Promise<Answer[]>} */
  askAll (question) { return this.askEach(this.shards.map((_, index) => [index, question])) }

  /** @param {Question} question @returns {Promise<any[]>} what they say, as JSON */
  async askAllJson (question) { return allOf(await this.askAll(question), answer => answer.json()) }

  /** Aborts when the client leaves: nobody else waits for what is read for it. @returns {AbortSignal} */
  get leaving () {
    if (this.#leaving === undefined) {
      const leaving = this.#leaving = new AbortController()
      // Each answer of a shard listens.
      setMaxListeners(0, leaving.signal)
      const { res } = this.req
      if (res.destroyed) leaving.abort()
      else res.once('close', () => leaving.abort())
    }
    return this.#leaving.signal
  }

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

/**
 * Reads all answers; if one breaks off, closes the others.
 *
 * @template T
 * @param {Answer[]} answers
 * @param {(answer: Answer) => Promise<T>} read to the end
 * @returns {Promise<T[]>}
 */
async function allOf (answers, read) {
  try {
    return await Promise.all(answers.map(read))
  } finally {
    for (const answer of answers) answer.close()
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

module.exports = { Coordinator, allOf, notReached }
