'use strict'

const http = require('node:http')
const { Connection } = require('../cluster/connection')
const { processCpu } = require('../run/meters')
const { median } = require('../report/statistics')
const { NOTATION } = require('./notation')
const { timeRounds } = require('./rounds')

/** Documents of an update, as CouchDB sends them. */
const BULK = 1000
const INDEX = '/index/potoroo-search'

/** Nouveau, CouchDB's program in Java around Lucene, that runs already: its HTTP interface is the one that CouchDB uses. */
class Nouveau {
  #url
  #pid
  #seconds
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

  /** @param {string} url @param {number} pid @param {number} seconds of CPU time of each figure */
  constructor (url, pid, seconds) {
    this.#url = new URL(url)
    this.#pid = pid
    this.#seconds = seconds
  }

  /** The one of `NOUVEAU_URL` and `NOUVEAU_PID`, with an empty index. @param {number} seconds @returns {Promise<Nouveau | undefined>} undefined: there is none */
  static async connect (seconds) {
    const { NOUVEAU_URL: url, NOUVEAU_PID: pid } = process.env
    if (url === undefined || pid === undefined) return undefined
    const nouveau = new Nouveau(url, Number(pid), seconds)
    await nouveau.#ask('DELETE', INDEX, [])
    await nouveau.#ask('PUT', INDEX, { lucene_version: 10, default_analyzer: 'standard', initial_purge_seq: 0 })
    return nouveau
  }

  /** @param {string} method @param {string} path @param {unknown} body @returns {Promise<any>} */
  async #ask (method, path, body) {
    const text = JSON.stringify(body) ?? ''
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    return new Promise((resolve, reject) => {
      const request = http.request(new URL(path, this.#url), { method, agent: this.#agent, headers }, response => {
        let answer = ''
        response.setEncoding('utf8').on('data', part => { answer += part }).on('end', () => response.statusCode === 200 ? resolve(JSON.parse(answer)) : reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`)))
      })
      request.on('error', reject).end(text)
    })
  }

  /** Sends all articles as what an index function gives. @param {import('./articles').Articles} articles @param {number} count @returns {Promise<{ clock: number, cpu: number }>} seconds */
  async index (articles, count) {
    const cpu = processCpu(this.#pid)
    let clock = 0
    for (let at = 0; at < count; at += BULK) {
      const updates = articles.make(at, Math.min(BULK, count - at)).map(({ _id, text }, i) => ({
        doc_id: _id,
        update: { '@type': 'update', match_seq: at + i, seq: at + i + 1, fields: [{ '@type': 'text', name: 'default', value: text, store: false }] }
      }))
      const begun = performance.now()
      await this.#ask('POST', `${INDEX}/update`, { updates })
      clock += performance.now() - begun
    }
    const begun = performance.now()
    await this.#search('bab')
    return { clock: (clock + performance.now() - begun) / 1000, cpu: (processCpu(this.#pid) - cpu) / 1e6 }
  }

  /** @param {string} query */
  #search (query) { return this.#ask('POST', `${INDEX}/search`, { query, limit: 10 }) }

  /** @param {string} kind @param {string[][]} queries @returns {Promise<{ clock: number, cpu: number, found: number }>} as of `Potoroo` */
  async ask (kind, queries) {
    const found = []
    for (const words of queries) found.push((await this.#search(NOTATION[kind](words))).total_hits)
    const connection = new Connection(this.#url.href, 'none')
    const round = queries.map(words => JSON.stringify({ query: NOTATION[kind](words), limit: 10 })).map(body => () => connection.ask('POST', `${INDEX}/search`, body))
    try {
      const { times, cpu } = await timeRounds(round, { seconds: this.#seconds, cpu: () => processCpu(this.#pid) })
      return { clock: median(times), cpu, found: median(found) }
    } finally {
      await connection.close()
    }
  }

  /** Bytes of the index. @returns {Promise<number>} */
  async bytes () { return (await this.#ask('GET', INDEX, undefined)).disk_size }

  async close () {
    await this.#ask('DELETE', INDEX, [])
    this.#agent.destroy()
  }
}

module.exports = { Nouveau }
