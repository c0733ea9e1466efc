'use strict'

const { countsPlugin, customLaunchers, endWith, limits } = require('./test/browser/karma')
const { Launcher } = require('./test/browser/launcher')

module.exports = async function (config) {
  const launcher = new Launcher()
  const potoroo = await launcher.start()
  config.set({
    ...limits,
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
    browsers: [process.env.TEST_BROWSER ?? 'Chromium'],
    customLaunchers,
    reporters: ['dots', 'counts'],
    plugins: ['karma-mocha', 'karma-chrome-launcher', 'karma-firefox-launcher', endWith('potoroo', () => launcher.close()), countsPlugin()]
  })
}
