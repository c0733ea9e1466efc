'use strict'

const fs = require('node:fs')
const chai = require('chai')
const core = require('pouchdb-core')

const { compareStrings } = require('./mocha-2')

/**
 * Makes the world that the tests of today expect.
 *
 * @param {string} adapter the package of the local adapter; it becomes the default one
 * @param {string} utilities the tests' own
 */
function createToday (adapter, utilities) {
  compareStrings()
  nameRejections()
  refuseManyListeners()
  for (const plugin of [adapter, 'pouchdb-adapter-memory-level', 'pouchdb-adapter-http', 'pouchdb-mapreduce', 'pouchdb-replication', 'pouchdb-find']) {
    core.plugin(require(plugin))
  }
  const PouchDB = core.defaults({ prefix: './tmp/_pouch_' })
  return { PouchDB, testUtils: require(utilities), should: chai.should(), assert: chai.assert, fs }
}

/** In chai-as-promised 5 the text says what is asserted; later ones want it in the error's message. */
function nameRejections () {
  const { isRejected } = chai.assert
  chai.assert.isRejected = (promise, what, ...rest) =>
    typeof what === 'string' ? isRejected(promise, undefined, undefined, what) : isRejected(promise, what, ...rest)
}

/** An emitter with too many listeners fails the running test, as it does in PouchDB's own runs. */
function refuseManyListeners () {
  process.on('warning', (warning) => {
    if (warning.name === 'MaxListenersExceededWarning') throw warning
  })
}

module.exports = { createToday }
