'use strict'

const { serveExpressPouchDB } = require('../../lib/http/express-pouchdb')

/** It never syncs, so it is only equal on tmpfs. */
module.exports = {
  name: 'express-pouchdb, leveldb',
  media: { tmpfs: 'write per commit' },
  // With one adapter for all databases, it takes the URL of another for a name.
  lacks: ['adaptive indexes', 'replication by URLs'],
  serve (options) {
    return serveExpressPouchDB(require('pouchdb-adapter-leveldb'), 'leveldb', options)
  }
}
