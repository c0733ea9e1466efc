'use strict'

const { Client } = require('../http/client')
const { ServerProcess } = require('../http/server-process')
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

  client ({ connections }) {
    const client = new Client(this.url, connections)
    this.#clients.push(client)
    return client
  }

  /** µs, with those of its query servers. */
  async cpu () { return processCpu(this.#pid) }

  async collect () {}

  async close () {
    const client = this.client({ connections: 1 })
    await client.request('DELETE', '/perf').catch(() => {})
    for (const each of this.#clients) each.close()
  }
}

/**
 * The servers that are compared: ours first, then express-pouchdb on LevelDB, then the CouchDB of
 * `COUCHDB_URL` and `COUCHDB_PID`, where it is given.
 *
 * @param {{ workers: number[] }} options 1: one thread; more: as many of ours as well
 * @returns {Array<{ name: string, start: (folder: string) => Promise<any> }>}
 */
function peers ({ workers }) {
  const { COUCHDB_URL: url, COUCHDB_PID: pid } = process.env
  const ours = workers.map(count => ({
    name: count === 1 ? 'potoroo' : `potoroo, ${count} workers`,
    start: folder => ServerProcess.start('http/potoroo, pmem', folder, { PMEM_IS_PMEM_FORCE: '1', TEST_WORKERS: String(count) })
  }))
  const express = { name: 'express-pouchdb', start: folder => ServerProcess.start('http/express-pouchdb, leveldb', folder) }
  const couch = url === undefined ? [] : [{ name: 'CouchDB', start: async () => new CouchDB(url, Number(pid)) }]
  return [...ours, express, ...couch]
}

module.exports = { peers }
