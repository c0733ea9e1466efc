'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

module.exports = {
  name: 'pouchdb-adapter-node-sqlite',
  media: { tmpfs: 'fsync per commit' },
  missing () {
    try {
      require('better-sqlite3')(':memory:').close()
    } catch {
      return '`npm rebuild better-sqlite3` makes its binary'
    }
  },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-node-sqlite').default, { adapter: 'sqlite3' }, folder)
  }
}
