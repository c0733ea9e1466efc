'use strict'

const { CouchDB } = require('../lib/http/couchdb')
const { serveBare, serveExpressPouchDB, serveInExpress, servePotoroo } = require('../lib/http/servers')

/** With one adapter for all databases, express-pouchdb takes the URL of another for a name. */
const expressLacks = ['adaptive indexes', 'replication by URLs']

/** @type {import('../lib/run/catalogue').Driver[]} */
module.exports = [
  {
    name: 'potoroo, pmem',
    ours: true,
    media: { tmpfs: 'cache-line flush and fence', disk: 'a synced write per commit' },
    env: { PMEM_IS_PMEM_FORCE: '1' },
    serve: ({ folder, port }) => servePotoroo({ path: folder, port, storage: 'pmem' })
  },
  {
    name: 'potoroo, classic-level',
    ours: true,
    media: { tmpfs: 'fdatasync per commit', disk: 'fdatasync per commit' },
    serve: ({ folder, port }) => servePotoroo({ path: folder, port, storage: 'classic-level' })
  },
  {
    // It never syncs, so it is only equal on tmpfs.
    name: 'express-pouchdb, leveldb',
    media: { tmpfs: 'write per commit' },
    lacks: expressLacks,
    serve: (options) => serveExpressPouchDB(require('pouchdb-adapter-leveldb'), 'leveldb', options)
  },
  {
    name: 'express-pouchdb, memory',
    media: { tmpfs: 'none' },
    lacks: expressLacks,
    serve: (options) => serveExpressPouchDB(require('pouchdb-adapter-memory'), 'memory', options)
  },
  {
    name: 'potoroo in express 5, pmem',
    ours: true,
    media: { tmpfs: 'cache-line flush and fence' },
    env: { PMEM_IS_PMEM_FORCE: '1' },
    serve: serveInExpress
  },
  {
    name: 'bare node:http',
    bare: true,
    media: { tmpfs: 'none' },
    serve: serveBare
  },
  {
    // It runs on whichever medium it was started on.
    name: 'CouchDB',
    media: { tmpfs: 'as it was started' },
    lacks: ['adaptive indexes'],
    missing: CouchDB.missing,
    connect: CouchDB.connect
  }
]
