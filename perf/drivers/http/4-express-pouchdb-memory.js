'use strict'

const { serveExpressPouchDB } = require('../../lib/http/express-pouchdb')

module.exports = {
  name: 'express-pouchdb, memory',
  media: { tmpfs: 'none' },
  // With one adapter for all databases, it takes the URL of another for a name.
  lacks: ['adaptive indexes', 'replication by URLs'],
  serve (options) {
    return serveExpressPouchDB(require('pouchdb-adapter-memory'), 'memory', options)
  }
}
