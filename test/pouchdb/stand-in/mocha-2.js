'use strict'

const chai = require('chai')

/**
 * The tests were written for Mocha 2 and Chai 3. This keeps what they rely on.
 *
 * @param {import('mocha').Suite} suite
 */
function ignoreReturnedPromises (suite) {
  const hooks = ['_beforeAll', '_beforeEach', '_afterAll', '_afterEach'].flatMap((kind) => suite[kind])
  for (const runnable of [...suite.tests, ...hooks]) {
    const { fn } = runnable
    // With a callback, what a test returned was ignored; now it is an error.
    if (fn?.length > 0) runnable.fn = function (done) { fn.call(this, done) }
  }
  suite.suites.forEach(ignoreReturnedPromises)
}

/** Chai 3 also put strings in order. */
function compareStrings () {
  const holds = {
    above: (a, b) => a > b,
    least: (a, b) => a >= b,
    below: (a, b) => a < b,
    most: (a, b) => a <= b
  }
  chai.use(({ Assertion }) => {
    for (const [name, compare] of Object.entries(holds)) {
      Assertion.overwriteMethod(name, (original) => function (limit, ...rest) {
        if (typeof this._obj !== 'string') return original.call(this, limit, ...rest)
        this.assert(compare(this._obj, limit), `expected #{this} to be ${name} #{exp}`, `expected #{this} not to be ${name} #{exp}`, limit)
      })
    }
  })
}

/** A failed assertion in a callback rejects a promise that nobody holds: it belongs to the running test. */
function failOnUnhandledRejections () {
  process.on('unhandledRejection', (reason) => { throw reason })
}

module.exports = { ignoreReturnedPromises, compareStrings, failOnUnhandledRejections }
