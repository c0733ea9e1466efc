'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Client } = require('../http/client')
const { ServerProcess } = require('../http/server-process')

const drivers = path.join(__dirname, '../../drivers/http')

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
  async cpu () { return [this.#pid, ...descendants(this.#pid)].reduce((sum, pid) => sum + cpuOf(pid), 0) }

  async collect () {}

  async close () {
    const client = this.client({ connections: 1 })
    await client.request('DELETE', '/perf').catch(() => {})
    for (const each of this.#clients) each.close()
  }
}

/** Ticks of the kernel are 10 ms on every Linux that Node.js runs on. */
const TICK = 10_000

function statOf (pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold anything, and ends with the last bracket.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function cpuOf (pid) {
  const stat = statOf(pid)
  return stat === null ? 0 : (Number(stat[11]) + Number(stat[12])) * TICK
}

function descendants (pid) {
  const all = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(name => ({ pid: Number(name), parent: Number(statOf(name)?.[1]) }))
  const found = [pid]
  for (const parent of found) for (const each of all) if (each.parent === parent) found.push(each.pid)
  return found.slice(1)
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
    start: folder => ServerProcess.start(path.join(drivers, '1-potoroo-pmem.js'), folder, { PMEM_IS_PMEM_FORCE: '1', POTOROO_WORKERS: String(count) })
  }))
  const express = { name: 'express-pouchdb', start: folder => ServerProcess.start(path.join(drivers, '3-express-pouchdb-leveldb.js'), folder) }
  const couch = url === undefined ? [] : [{ name: 'CouchDB', start: async () => new CouchDB(url, Number(pid)) }]
  return [...ours, express, ...couch]
}

module.exports = { peers }
