'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

module.exports = {
  name: 'pouchdb-adapter-memory',
  media: { tmpfs: 'none' },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-memory'), { adapter: 'memory' }, folder)
  }
}
