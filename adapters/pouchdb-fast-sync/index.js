'use strict'

const { FastSource } = require('./lib/fast-source')

/**
 * A plugin for PouchDB: a first replication from a server that can stream takes some dozens of requests fewer for each
 * thousand documents. Other servers, and replications that have little to read, are as before.
 *
 * @param {any} PouchDB pouchdb-core with pouchdb-adapter-http and pouchdb-replication, or all of PouchDB
 * @see README.md
 */
function fastSync (PouchDB) {
  const { replicate, sync } = PouchDB
  PouchDB.replicate = (source, target, options, callback) => {
    const fast = fastSource(PouchDB, source, options)
    return fast.follow(replicate(fast.database, target, options, callback))
  }
  PouchDB.sync = (one, other, options, callback) => {
    const sources = [fastSource(PouchDB, one, options), fastSource(PouchDB, other, options)]
    const running = sync(sources[0].database, sources[1].database, options, callback)
    sources[0].follow(running.push)
    sources[1].follow(running.pull)
    return running
  }
}

/** Leaves a database that cannot stream as it is. @param {any} database */
const ordinary = database => ({ database, follow: replication => replication })

/** @param {any} PouchDB @param {any} source a database, or its name @param {any} [options] */
function fastSource (PouchDB, source, options) {
  const Database = options?.PouchConstructor ?? PouchDB
  const database = typeof source === 'string' ? new Database(source, options) : source
  return database?.adapter === 'http' || database?.adapter === 'https' ? new FastSource(database, options) : ordinary(database)
}

module.exports = fastSync
