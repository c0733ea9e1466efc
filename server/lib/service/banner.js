'use strict'

const { version } = require('../../package.json')

/** The CouchDB whose API this server speaks. Clients look at it. */
const COUCHDB_VERSION = '3.5.2'

function readBanner () {
  return { couchdb: COUCHDB_VERSION, version, header: `CouchDB/${COUCHDB_VERSION} (Potoroo/${version})` }
}

module.exports = { readBanner }
