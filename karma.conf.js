'use strict'

const { writeFileSync } = require('node:fs')
const { findBrowser } = require('./scripts/lib/system-packages')
const { Launcher } = require('./test/browser/launcher')

process.env.CHROME_BIN ??= findBrowser() ?? 'chromium'

/** Ends the server under test with Karma; without it the port and the pool would stay. */
function launcherPlugin (launcher) {
  const framework = emitter => emitter.on('exit', done => launcher.close().then(done, error => {
    console.error(error)
    process.exitCode = 1
    done()
  }))
  framework.$inject = ['emitter']
  return { 'framework:potoroo': ['factory', framework] }
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

module.exports = async function (config) {
  const launcher = new Launcher()
  const potoroo = await launcher.start()
  config.set({
    // The same host as the server's, so that its cookies are first-party; another port, so that
    // every request is a cross-origin one.
    hostname: '127.0.0.1',
    listenAddress: '127.0.0.1',
    port: 6070,
    frameworks: ['potoroo', 'mocha'],
    files: [
      'node_modules/pouchdb/dist/pouchdb.js',
      'node_modules/chai/chai.js',
      'test/browser/page.js',
      'test/browser/*.test.js'
    ],
    // PouchDB tells every page that a 404 is normal.
    client: { potoroo, captureConsole: false, mocha: { timeout: 120_000, forbidOnly: true } },
    browsers: ['Chromium'],
    customLaunchers: {
      Chromium: {
        base: 'ChromeHeadless',
        flags: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
          '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']
      }
    },
    reporters: ['dots', 'counts'],
    plugins: ['karma-mocha', 'karma-chrome-launcher', launcherPlugin(launcher), countsPlugin()],
    // These end what hangs. A busy machine may keep a browser from answering for longer than Karma's
    // own limits.
    captureTimeout: 120_000,
    pingTimeout: 60_000,
    browserDisconnectTimeout: 60_000,
    browserNoActivityTimeout: 180_000,
    autoWatch: false,
    singleRun: true
  })
}
