'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

/** pouchdb-adapter-leveldb on LMDB in the place of LevelDB. */
module.exports = {
  name: 'pouchdb-adapter-leveldb on lmdb',
  media: { tmpfs: 'fdatasync per commit (overlappingSync: false)' },
  async open (folder) {
    const { lmdbLeveldown } = require('../../lib/pouchdb/lmdb-leveldown')
    return openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb', db: lmdbLeveldown }, folder)
  }
}
