'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

module.exports = {
  name: 'memory-level',
  ours: true,
  media: { tmpfs: 'none' },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-memory-level'), { adapter: 'memory-level' }, folder)
  }
}
