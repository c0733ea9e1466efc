'use strict'

const { writeFileSync } = require('node:fs')
// @ts-ignore: mocha comes without types.
const { reporters, Runner } = require('mocha')

/** Mocha's own `spec` reporter, which also leaves the counts where scripts/test.js finds them. */
class CountingReporter extends reporters.Spec {
  /** @param {any} runner Mocha's @param {any} options */
  constructor (runner, options) {
    super(runner, options)
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats
      const file = process.env.TEST_COUNTS_FILE
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }))
    })
  }
}

module.exports = CountingReporter
