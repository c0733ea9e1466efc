'use strict'

const { sqliteMissing } = require('../lib/objects/sqlite')

const JOURNAL = 'journaled by its server, on the server\'s medium (j: true), ten sets not atomic'

/** Each class is loaded when it is opened, with its package. */
function opened (file, name, options) {
  return async (folder) => {
    const Objects = require(`../lib/objects/${file}`)[name]
    return Objects.open ? Objects.open(folder) : new Objects(folder, options)
  }
}

/** @type {import('../lib/run/catalogue').Driver[]} */
module.exports = [
  {
    name: 'pmemobj',
    ours: true,
    media: { tmpfs: 'cache-line flush and fence', disk: 'a synced write per commit' },
    env: { PMEM_IS_PMEM_FORCE: '1' },
    open: opened('pmemobj', 'PmemObjects')
  },
  {
    name: 'lmdb',
    media: both('putSync with fdatasync per commit (overlappingSync: false)'),
    lacks: ['root', 'collect', 'overwrite'],
    open: opened('lmdb', 'LmdbObjects')
  },
  {
    // Its files are as the other's. A program that changes an object without putting it changes what the next reader gets.
    name: 'lmdb, cache',
    media: both('as lmdb'),
    lacks: ['root', 'collect', 'midi', 'overwrite'],
    open: opened('lmdb', 'LmdbObjects', { cache: true })
  },
  {
    name: 'classic-level',
    media: both('fdatasync per commit (sync: true)'),
    lacks: ['root', 'collect', 'overwrite'],
    open: opened('classic-level', 'LevelObjects')
  },
  {
    name: 'better-sqlite3',
    media: both('WAL, synchronous = FULL'),
    lacks: ['root', 'collect', 'overwrite'],
    missing: sqliteMissing,
    open: opened('sqlite', 'SqliteObjects')
  },
  {
    name: 'files',
    media: both('fsync per file, not atomic'),
    lacks: ['root', 'collect'],
    open: opened('files', 'FileObjects')
  },
  {
    name: 'mongodb',
    media: both(JOURNAL),
    lacks: ['root', 'collect', 'overwrite', 'files'],
    missing: () => process.env.MONGODB_URL ? undefined : 'MONGODB_URL says where a server of it is',
    open: opened('mongodb', 'MongoObjects')
  },
  {
    name: 'memory',
    media: { tmpfs: 'none' },
    lacks: ['files', 'collect', 'overwrite'],
    open: opened('memory', 'MemoryObjects')
  },
  {
    name: 'proxies',
    media: { tmpfs: 'none' },
    lacks: ['files', 'collect', 'midi', 'overwrite'],
    open: opened('proxies', 'ProxyObjects')
  }
]

function both (text) {
  return { tmpfs: text, disk: text }
}
