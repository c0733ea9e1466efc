'use strict'

/** Settings and plugins of all runs in pages. */

const { writeFileSync } = require('node:fs')
const { findBrowser } = require('../../scripts/lib/system-packages')

process.env.CHROME_BIN ??= findBrowser() ?? 'chromium'
process.env.FIREFOX_BIN ??= 'firefox-esr'

/** Ends something with Karma: without it a port and files would stay. @param {string} name @param {() => Promise<void>} end */
function endWith (name, end) {
  const framework = emitter => emitter.on('exit', done => end().then(done, error => {
    console.error(error)
    process.exitCode = 1
    done()
  }))
  framework.$inject = ['emitter']
  return { [`framework:${name}`]: ['factory', framework] }
}

/** Leaves the counts where scripts/test.js finds them. */
function countsPlugin () {
  const reporter = function (baseReporterDecorator) {
    baseReporterDecorator(this)
    this.onRunComplete = (browsers, { success, failed, skipped, error }) => {
      const file = process.env.TEST_COUNTS_FILE
      if (file) writeFileSync(file, JSON.stringify({ passed: success, failed: failed + (error && failed === 0 ? 1 : 0), skipped }))
    }
  }
  reporter.$inject = ['baseReporterDecorator']
  return { 'reporter:counts': ['type', reporter] }
}

const customLaunchers = {
  Chromium: {
    base: 'ChromeHeadless',
    flags: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']
  },
  Firefox: { base: 'FirefoxHeadless' }
}

/** These end what hangs. A busy machine may keep a browser from answering for longer than Karma's own limits. */
const limits = {
  captureTimeout: 120_000,
  pingTimeout: 60_000,
  browserDisconnectTimeout: 60_000,
  browserNoActivityTimeout: 180_000,
  autoWatch: false,
  singleRun: true
}

module.exports = { countsPlugin, customLaunchers, endWith, limits }
