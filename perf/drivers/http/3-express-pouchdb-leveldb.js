'use strict'

const { serveExpressPouchDB } = require('../../lib/http/express-pouchdb')

/** It never syncs, so it is only equal on tmpfs. */
module.exports = {
  name: 'express-pouchdb, leveldb',
  media: { tmpfs: 'write per commit' },
  lacks: ['adaptive indexes'],
  serve (options) {
    return serveExpressPouchDB(require('pouchdb-adapter-leveldb'), 'leveldb', options)
  }
}
