'use strict'

const PouchDB = require('pouchdb-core')
const { addAuto } = require('./lib/auto')

/** @returns {string | undefined} why there is no persistent memory */
function addPmem () {
  try {
    PouchDB.plugin(require('pouchdb-adapter-pmem'))
    return undefined
  } catch (error) {
    if (error.code !== 'ADDON_MISSING' && error.code !== 'ADDON_BROKEN') throw error
    return error.message
  }
}

const missing = addPmem()

PouchDB
  .plugin(require('pouchdb-adapter-classic-level'))
  .plugin(require('pouchdb-adapter-memory-level'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-replication'))
  .plugin(require('pouchdb-mapreduce'))
  .plugin(require('pouchdb-find'))

addAuto(PouchDB, missing)

module.exports = PouchDB
module.exports.PouchDB = PouchDB
