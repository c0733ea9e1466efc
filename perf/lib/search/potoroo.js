'use strict'

const { Connection } = require('../cluster/connection')
const { SubjectServer } = require('../subjects/subject-server')
const { median } = require('../report/statistics')
const { NOTATION } = require('./notation')
const { timeRounds } = require('./rounds')
const { sizesOf } = require('./sizes')

const DESIGN = '/articles/_design/search'
const FUNCTION = 'function (doc) { index("default", doc.text) }'
/** Documents of a `_bulk_docs`. */
const BULK = 1000

/** @param {string} q */
function target (q) { return `${DESIGN}/_search/text?limit=10&q=${encodeURIComponent(q)}` }

/** A server with a database of articles. */
class Potoroo {
  #server
  #seconds
  /** @param {SubjectServer} server @param {number} seconds of CPU time of each figure */
  constructor (server, seconds) {
    this.#server = server
    this.#seconds = seconds
  }

  /** @param {string} storage @param {number} seconds of CPU time of each figure */
  static async start (storage, seconds) {
    const server = await SubjectServer.start(storage)
    await server.ask('PUT', '/articles')
    return new Potoroo(server, seconds)
  }

  /** @param {import('./articles').Articles} articles @param {number} count @returns {Promise<number>} units of text */
  async fill (articles, count) {
    let units = 0
    for (let at = 0; at < count; at += BULK) {
      const docs = articles.make(at, Math.min(BULK, count - at))
      units += docs.reduce((sum, { text }) => sum + text.length, 0)
      await this.#server.ask('POST', '/articles/_bulk_docs', { docs })
    }
    return units
  }

  /** Builds the index. @returns {Promise<{ clock: number, cpu: number }>} seconds */
  async index () {
    const cpu = await this.#server.call('cpu')
    const begun = performance.now()
    await this.#server.ask('PUT', DESIGN, { indexes: { text: { index: FUNCTION } } })
    await this.#search('bab')
    return { clock: (performance.now() - begun) / 1000, cpu: (await this.#server.call('cpu') - cpu) / 1e6 }
  }

  /** @param {string} q */
  #search (q) { return this.#server.ask('GET', target(q)) }

  /**
   * @param {string} kind @param {string[][]} queries
   * @returns {Promise<{ clock: number, cpu: number, found: number }>} milliseconds of a query by the clock, the median, and of the server's CPU time, the mean; documents, the median
   */
  async ask (kind, queries) {
    const targets = queries.map(words => target(NOTATION[kind](words)))
    const found = []
    for (const each of targets) found.push((await this.#server.ask('GET', each)).total_rows)
    const { times, cpu } = await this.#time(targets)
    return { clock: median(times), cpu, found: median(found) }
  }

  /** Asks by one connection: a thread answers what comes by it, and servers close one that was idle meanwhile. @param {string[]} targets */
  async #time (targets) {
    const connection = new Connection(this.#server.origin.href, this.#server.authorization)
    const round = targets.map(each => () => connection.ask('GET', each))
    try {
      return await timeRounds(round, { seconds: this.#seconds, cpu: () => this.#server.call('cpu') })
    } finally {
      await connection.close()
    }
  }

  /** Milliseconds of a request that does next to nothing. */
  async floor () { return median((await this.#time(new Array(300).fill(DESIGN))).times) }

  /** Bytes of each kind of the index's records. */
  async sizes () { return sizesOf(this.#server.folder) }

  async stop () { await this.#server.stop() }
}

module.exports = { Potoroo }
