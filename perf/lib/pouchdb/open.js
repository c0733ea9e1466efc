'use strict'

const path = require('node:path')

/**
 * @param {Function} plugin the adapter's
 * @param {object} options `adapter`, and what else the adapter takes
 * @param {string} folder where the database is to be
 */
function openPouchDB (plugin, options, folder) {
  const PouchDB = require('pouchdb-core').plugin(plugin).plugin(require('pouchdb-mapreduce'))
  return new PouchDB(path.join(folder, 'database'), options)
}

module.exports = { openPouchDB }
