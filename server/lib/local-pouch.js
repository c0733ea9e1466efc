'use strict'

const PouchDB = require('pouchdb-core')
const documentStore = require('pouchdb-adapter-document-store')

// Registered by name only: the application around us may have a PouchDB of its own, which is
// not to take this for the adapter to try first.
documentStore({ adapter: (name, adapter) => PouchDB.adapter(name, adapter, false) })

/**
 * A PouchDB on a document store that is open already; closing it leaves the store open.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, any>} [options]
 */
function localPouch (store, options) {
  return new PouchDB(store.name, { adapter: 'document-store', store, ...options })
}

module.exports = { localPouch, PouchDB }
