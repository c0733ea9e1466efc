'use strict'

const { openPouchDB } = require('../lib/pouchdb/database')
const { sqliteMissing } = require('../lib/objects/sqlite')

/** @type {import('../lib/run/catalogue').Driver[]} */
module.exports = [
  {
    name: 'pmem',
    ours: true,
    media: { tmpfs: 'cache-line flush and fence', disk: 'a synced write per commit' },
    env: { PMEM_IS_PMEM_FORCE: '1' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-pmem'), { adapter: 'pmem' }, folder)
  },
  {
    name: 'classic-level',
    ours: true,
    media: { tmpfs: 'fdatasync per commit', disk: 'fdatasync per commit' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-classic-level'), { adapter: 'classic-level' }, folder)
  },
  {
    name: 'memory-level',
    ours: true,
    media: { tmpfs: 'none' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-memory-level'), { adapter: 'memory-level' }, folder)
  },
  {
    // As published: it never syncs, so it is only equal on tmpfs.
    name: 'pouchdb-adapter-leveldb',
    yardstick: true,
    media: { tmpfs: 'write per commit' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb' }, folder)
  },
  {
    name: 'pouchdb-adapter-leveldb, made to sync',
    yardstick: true,
    media: { disk: 'fdatasync per commit' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb', db: syncLeveldown() }, folder)
  },
  {
    name: 'pouchdb-adapter-memory',
    media: { tmpfs: 'none' },
    open: async (folder) => openPouchDB(require('pouchdb-adapter-memory'), { adapter: 'memory' }, folder)
  },
  {
    // LMDB is in the place of LevelDB.
    name: 'pouchdb-adapter-leveldb on lmdb',
    media: { tmpfs: 'fdatasync per commit (overlappingSync: false)' },
    async open (folder) {
      const { lmdbLeveldown } = require('../lib/pouchdb/lmdb-leveldown')
      return openPouchDB(require('pouchdb-adapter-leveldb'), { adapter: 'leveldb', db: lmdbLeveldown }, folder)
    }
  },
  {
    name: 'pouchdb-adapter-node-sqlite',
    media: { tmpfs: 'fsync per commit' },
    missing: sqliteMissing,
    open: async (folder) => openPouchDB(require('pouchdb-adapter-node-sqlite').default, { adapter: 'sqlite3' }, folder)
  }
]

/** LevelDB made durable: the adapter takes another leveldown, and this one syncs each write. */
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
