'use strict'

const fs = require('node:fs')
const path = require('node:path')
const chai = require('chai')

const { skipped, skippedFiles } = require('./skipped')
const { compareStrings, failOnUnhandledRejections, ignoreReturnedPromises } = require('./stand-in/mocha-2')
const { createPouchDB } = require('./stand-in/pouchdb')
const { createTestUtilities } = require('./stand-in/test-utilities')
const { unpackRelease } = require('./tarball')

const plugins = ['pouchdb-adapter-memory-level', 'pouchdb-adapter-http', 'pouchdb-mapreduce', 'pouchdb-replication', 'pouchdb-find']

/**
 * The tests of PouchDB 4.0.3 and of pouchdb-find 0.10.5, the last releases that carry them.
 *
 * @param {{ adapter: string, package: string, url: string, folder?: string }} options `package` of
 *   the local adapter; `url` of the server; `folder` where only `find` is wanted, or all but that
 * @returns {import('./run').Tests}
 */
function testsOfRelease ({ adapter, package: name, url, folder }) {
  const tests = path.join(unpackRelease('pouchdb'), 'tests')
  const groups = [
    { name: 'pouchdb', named: true, files: testFiles(tests) },
    { name: 'find', named: false, files: [path.join(__dirname, 'find-suites.js')] }
  ]
  return {
    skipped,
    // Over HTTP they know a Mango that CouchDB never released.
    groups: groups.filter(({ name }) => folder === undefined ? name !== 'find' || adapter !== 'http' : name === folder),
    globals () {
      compareStrings()
      failOnUnhandledRejections()
      const PouchDB = createPouchDB([name, ...plugins].map((each) => require(each)))
      return { PouchDB, testUtils: createTestUtilities(PouchDB, url, adapter), should: chai.should() }
    },
    prepare: ignoreReturnedPromises
  }
}

/** @param {string} tests the folder */
function testFiles (tests) {
  return ['integration', 'mapreduce'].flatMap((folder) => fs.readdirSync(path.join(tests, folder))
    .filter((name) => /^test\..*\.js$/.test(name) && !skippedFiles.has(name))
    .map((name) => path.join(tests, folder, name)))
}

module.exports = { testFiles, testsOfRelease }
