'use strict'

const PouchDB = require('pouchdb-core')

/** PouchDB's plugins that the tests use, once in a process: the second time, replication fails. */
for (const plugin of ['pouchdb-replication', 'pouchdb-mapreduce', 'pouchdb-find']) PouchDB.plugin(require(plugin))
