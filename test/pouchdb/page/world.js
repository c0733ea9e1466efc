'use strict'

/** The world of the tests of PouchDB 4.0.3 in a page: as in release.js. */

const chai = require('chai')
const { skipped } = require('../skipped')
const { applySkips } = require('../skips')
const { selectSuites } = require('../selection')
const { compareStrings, ignoreReturnedPromises } = require('../stand-in/mocha-2')
const { oldFind } = require('../stand-in/old-find')
const { createPouchDB } = require('../stand-in/pouchdb')
const { createTestUtilities } = require('../stand-in/test-utilities')

const plugins = [
  require('pouchdb-adapter-level'), require('pouchdb-adapter-http'), require('pouchdb-mapreduce'), require('pouchdb-replication'), require('pouchdb-find')
]

// Tests look for it to tell a page.
window.process = { browser: true, env: {} }
compareStrings()
window.should = chai.should()
window.PouchDB = createPouchDB(plugins)
window.testUtils = { ...createTestUtilities(window.PouchDB, window.__karma__.config.potoroo.url, 'level'), ...require('./content') }

/** Leaves of the suites so far those that concern a local database. */
window.select = () => selectSuites(window.mocha.suite, 'level')

window.addFindSuites = (suites) => {
  const name = window.testUtils.adapterUrl('local', 'testdb_find')
  for (const suite of suites) suite(name, 'local', oldFind(window.PouchDB))
}

window.prepare = () => {
  ignoreReturnedPromises(window.mocha.suite)
  applySkips(window.mocha.suite, skipped, { adapter: 'level', only: false })
}
