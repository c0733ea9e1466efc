'use strict'

const path = require('node:path')
const { CouchDB } = require('../http/couchdb')
const { ServerProcess } = require('../http/server-process')

/**
 * The servers that are compared: ours first, then express-pouchdb on LevelDB, then the CouchDB of
 * `COUCHDB_URL` and `COUCHDB_PID`, where it is given.
 *
 * @param {{ workers: number[], beside?: string }} options 1: one thread; more: as many of ours as well; beside: the folder of
 *   another checkout of this repository, built, whose server takes turns with ours
 * @returns {Array<{ name: string, start: (folder: string) => Promise<any> }>}
 */
function peers ({ workers, beside }) {
  const own = workers.map(count => ours(ServerProcess, 'potoroo', count))
  const others = beside === undefined ? [] : workers.map(count => ours(require(path.resolve(beside, 'perf/lib/http/server-process')).ServerProcess, 'potoroo, other checkout', count))
  const express = { name: 'express-pouchdb', start: folder => ServerProcess.start('http/express-pouchdb, leveldb', folder) }
  const couch = CouchDB.missing() === undefined ? [{ name: 'CouchDB', start: () => CouchDB.connect() }] : []
  return [...own, ...others, express, ...couch]
}

/** @param {typeof ServerProcess} Process @param {string} name @param {number} count of workers */
function ours (Process, name, count) {
  return {
    name: count === 1 ? name : `${name}, ${count} workers`,
    start: folder => Process.start('http/potoroo, pmem', folder, { PMEM_IS_PMEM_FORCE: '1', TEST_WORKERS: String(count) })
  }
}

module.exports = { peers }
