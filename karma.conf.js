'use strict'

const { countsPlugin, customLaunchers, endWith, limits } = require('./test/browser/karma')
const { Launcher } = require('./test/browser/launcher')
const { bundlePlugins } = require('./test/browser/plugins')

module.exports = async function (config) {
  const launcher = new Launcher()
  const plugins = await bundlePlugins()
  const potoroo = { ...await launcher.start(), scripts: plugins.files.map(file => `/absolute${file}`) }
  const end = async () => {
    plugins.remove()
    await launcher.close()
  }
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
      ...plugins.files.slice(1),
      'test/browser/page.js',
      'test/browser/peers.js',
      process.env.BROWSER_TESTS ?? 'test/browser/*.test.js'
    ],
    // PouchDB tells every page that a 404 is normal.
    client: { potoroo, captureConsole: false, mocha: { timeout: 120_000, forbidOnly: true } },
    browsers: [process.env.TEST_BROWSER ?? 'Chromium'],
    customLaunchers,
    reporters: ['dots', 'counts'],
    plugins: ['karma-mocha', 'karma-chrome-launcher', 'karma-firefox-launcher', endWith('potoroo', end), countsPlugin()]
  })
}
