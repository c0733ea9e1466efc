'use strict'

const path = require('node:path')
const { makeDocument } = require('../data/samples')
const { expectWritten } = require('../data/expect')

const BATCH = 500

/** @param {Function} plugin of an adapter @returns {any} the PouchDB that the trials and servers use */
function pouchDBWith (plugin) {
  return ['pouchdb-adapter-http', 'pouchdb-mapreduce', 'pouchdb-find', 'pouchdb-replication']
    .reduce((PouchDB, name) => PouchDB.plugin(require(name)), require('pouchdb-core').plugin(plugin))
}

let inMemory = null

/** @returns {any} a PouchDB that replicates into memory */
function memoryPouchDB () {
  inMemory ??= require('pouchdb-core')
    .plugin(require('pouchdb-adapter-memory'))
    .plugin(require('pouchdb-adapter-http'))
    .plugin(require('pouchdb-replication'))
  return inMemory
}

/**
 * @param {Function} plugin the adapter's
 * @param {object} options `adapter`, and what else the adapter takes
 * @param {string} folder where the database is to be
 */
function openPouchDB (plugin, options, folder) {
  return new (pouchDBWith(plugin))(path.join(folder, 'database'), options)
}

/** @returns {Promise<any>} another PouchDB of the same kind, open, beside this one */
async function openSibling (db, name) {
  const sibling = new db.constructor(`${db.name}-${name}`, { ...db.__opts, name: undefined })
  await sibling.info()
  return sibling
}

/** Prepares a trial that needs nothing in its database. */
async function withDatabase (db) {
  return { db }
}

/** Prepares a trial that needs documents: `make` gives them by their numbers. */
function withDocuments (make = makeDocument) {
  return async (db, { size }) => {
    for (let start = 0; start < size; start += BATCH) {
      const count = Math.min(BATCH, size - start)
      expectWritten(await db.bulkDocs(Array.from({ length: count }, (_, index) => make(start + index))))
    }
    return { db, size }
  }
}

module.exports = { memoryPouchDB, openPouchDB, openSibling, pouchDBWith, withDatabase, withDocuments }
