'use strict'

/** A PouchDB that keeps its databases in memory, and syncs by HTTP. A plugin can be had once only. */
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))

module.exports = { PouchDB }
