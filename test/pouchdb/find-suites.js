'use strict'

const path = require('node:path')

const { oldFind } = require('./stand-in/old-find')
const { replacePackages } = require('./stand-in/packages')
const { unpackRelease } = require('./tarball')

// Tests of pouchdb-find 0.10.5, for Mocha to load: its suites are functions that are given a database's
// name. Its third folder is about code that has become pouchdb-abstract-mapreduce, with tests of its
// own among PouchDB's.
const { PouchDB, testUtils } = /** @type {any} */ (globalThis)
const release = unpackRelease('find')
replacePackages(release)
const kind = testUtils.adapterType()
const name = testUtils.adapterUrl(kind, 'testdb_find')

for (const folder of ['test-suite-1', 'test-suite-2']) require(path.join(release, 'test', folder))(name, kind, oldFind(PouchDB))
