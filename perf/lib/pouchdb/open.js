'use strict'

const path = require('node:path')

const PLUGINS = ['pouchdb-adapter-http', 'pouchdb-mapreduce', 'pouchdb-find', 'pouchdb-replication']

/**
 * @param {Function} plugin the adapter's
 * @param {object} options `adapter`, and what else the adapter takes
 * @param {string} folder where the database is to be
 */
function openPouchDB (plugin, options, folder) {
  const PouchDB = require('pouchdb-core').plugin(plugin)
  for (const name of PLUGINS) PouchDB.plugin(require(name))
  return new PouchDB(path.join(folder, 'database'), options)
}

/** @returns {Promise<any>} another PouchDB of the same kind, open, beside this one */
async function openSibling (db, name) {
  const sibling = new db.constructor(`${db.name}-${name}`, { ...db.__opts, name: undefined })
  await sibling.info()
  return sibling
}

module.exports = { openPouchDB, openSibling }
