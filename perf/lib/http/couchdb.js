'use strict'

const { Client } = require('./client')
const { DATABASE } = require('./database')
const { processCpu } = require('../run/meters')

/** A CouchDB that runs already, and whose processes' CPU time the kernel tells. */
class CouchDB {
  #pid
  #clients = []

  /** @param {string} url @param {number} pid of its `beam.smp` */
  constructor (url, pid) {
    this.url = url.replace(/\/$/, '')
    this.#pid = pid
  }

  /** The CouchDB of `COUCHDB_URL` and `COUCHDB_PID`, without the database of an earlier run. @returns {Promise<CouchDB>} */
  static async connect () {
    const { COUCHDB_URL: url, COUCHDB_PID: pid } = process.env
    const couch = new CouchDB(String(url), Number(pid))
    await couch.#forget()
    return couch
  }

  /** @returns {string | undefined} what is to be done before it can be measured */
  static missing () {
    const { COUCHDB_URL: url, COUCHDB_PID: pid } = process.env
    return url === undefined || pid === undefined ? 'COUCHDB_URL and COUCHDB_PID name one that runs' : undefined
  }

  client ({ connections }) {
    const client = new Client(this.url, connections)
    this.#clients.push(client)
    return client
  }

  /** µs, with those of its query servers. */
  async cpu () { return processCpu(this.#pid) }

  async collect () {}

  async close () {
    await this.#forget()
    for (const each of this.#clients) each.close()
  }

  async #forget () { await this.client({ connections: 1 }).request('DELETE', DATABASE).catch(() => {}) }
}

module.exports = { CouchDB }
