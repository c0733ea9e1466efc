'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

module.exports = {
  name: 'classic-level',
  ours: true,
  media: {
    tmpfs: 'fdatasync per commit',
    disk: 'fdatasync per commit'
  },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-classic-level'), { adapter: 'classic-level' }, folder)
  }
}
