'use strict'

// PouchDB's own tests on pouchdb-adapter-level in a page: npm run test:browser.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { countsPlugin, customLaunchers, endWith, limits } = require('../../browser/karma')
const { startServer } = require('../server')
const { bundleTests } = require('./bundle')

module.exports = async function (config) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-pouchdb-page-'))
  const server = await startServer(folder)
  const tests = await bundleTests(folder)
  const end = async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  config.set({
    ...limits,
    basePath: path.join(__dirname, '../../..'),
    hostname: '127.0.0.1',
    listenAddress: '127.0.0.1',
    port: 6071,
    frameworks: ['server', 'mocha'],
    files: [tests],
    client: { potoroo: { url: server.url }, captureConsole: false, mocha: { timeout: 120_000, grep: process.env.GREP } },
    browsers: [process.env.TEST_BROWSER ?? 'Chromium'],
    customLaunchers,
    reporters: ['dots', 'counts'],
    plugins: ['karma-mocha', 'karma-chrome-launcher', 'karma-firefox-launcher', endWith('server', end), countsPlugin()]
  })
}
