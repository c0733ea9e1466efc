'use strict'

const path = require('node:path')

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

/** The warning of 0.10.5: the same in other words. */
function PouchFind (...args) {
  const db = new PouchDB(...args)
  const { find } = db
  db.find = (request, callback) => {
    const found = find.call(db, request).then(reword)
    if (callback === undefined) return found
    found.then((result) => callback(null, result), callback)
  }
  return db
}

function reword (result) {
  if (result.warning === 'No matching index found, create an index to optimize query time.') {
    result.warning = 'no matching index found, create an index to optimize query time'
  }
  return result
}

for (const folder of ['test-suite-1', 'test-suite-2']) require(path.join(release, 'test', folder))(name, kind, PouchFind)
