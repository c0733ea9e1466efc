'use strict'

const fs = require('node:fs')
const path = require('node:path')
const chai = require('chai')

const { skipped, skippedFiles } = require('./skipped')
const { compareStrings, failOnUnhandledRejections, ignoreReturnedPromises } = require('./stand-in/mocha-2')
const { createPouchDB } = require('./stand-in/pouchdb')
const { createTestUtilities } = require('./stand-in/test-utilities')
const { unpackTests } = require('./tarball')

/**
 * The tests of PouchDB 4.0.3, the last release that carries them.
 *
 * @param {{ package: string, url: string }} options `package` of the local adapter; `url` of the
 *   server
 * @returns {import('./run').Tests}
 */
function testsOfRelease ({ package: name, url }) {
  const tests = unpackTests()
  return {
    skipped,
    groups: [{ name: 'integration and mapreduce', named: true, files: ['integration', 'mapreduce'].flatMap((folder) => testFiles(path.join(tests, folder))) }],
    globals () {
      compareStrings()
      failOnUnhandledRejections()
      const PouchDB = createPouchDB(name)
      return { PouchDB, testUtils: createTestUtilities(PouchDB, url), should: chai.should() }
    },
    prepare: ignoreReturnedPromises
  }
}

function testFiles (folder) {
  return fs.readdirSync(folder)
    .filter((name) => /^test\..*\.js$/.test(name) && !skippedFiles.has(name))
    .map((name) => path.join(folder, name))
}

module.exports = { testsOfRelease }
