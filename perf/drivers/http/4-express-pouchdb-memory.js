'use strict'

const { serveExpressPouchDB } = require('../../lib/http/express-pouchdb')

module.exports = {
  name: 'express-pouchdb, memory',
  media: { tmpfs: 'none' },
  lacks: ['adaptive indexes'],
  serve (options) {
    return serveExpressPouchDB(require('pouchdb-adapter-memory'), 'memory', options)
  }
}
