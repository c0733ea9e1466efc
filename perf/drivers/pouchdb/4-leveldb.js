'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

/** pouchdb-adapter-leveldb as published: it never syncs, so it is only equal on tmpfs. */
module.exports = {
  name: 'pouchdb-adapter-leveldb',
  yardstick: true,
  media: { tmpfs: 'write per commit' },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb' }, folder)
  }
}
