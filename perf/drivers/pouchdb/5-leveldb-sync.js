'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

/** The same made durable: the adapter takes another leveldown, and this one syncs each write. */
module.exports = {
  name: 'pouchdb-adapter-leveldb, made to sync',
  yardstick: true,
  media: { disk: 'fdatasync per commit' },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb', db: syncLeveldown() }, folder)
  }
}

function syncLeveldown () {
  const LevelDOWN = require('leveldown')
  class SyncLevelDOWN extends LevelDOWN {
    _put (key, value, options, callback) {
      super._put(key, value, { ...options, sync: true }, callback)
    }

    _del (key, options, callback) {
      super._del(key, { ...options, sync: true }, callback)
    }

    _batch (operations, options, callback) {
      super._batch(operations, { ...options, sync: true }, callback)
    }
  }
  // The adapter calls it without new.
  return function syncLevelDOWN (location) {
    return new SyncLevelDOWN(location)
  }
}
