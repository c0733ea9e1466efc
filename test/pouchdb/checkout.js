'use strict'

const fs = require('node:fs')
const path = require('node:path')

const { replacePackages } = require('./stand-in/packages')
const { createToday } = require('./stand-in/today')
const { skipped, skippedFiles } = require('./skipped-today')

const folders = ['integration', 'mapreduce', 'find']

/**
 * PouchDB's tests of today, from a checkout of its repository. Only the tests and their
 * own utilities run; the packages that they ask for are the published ones.
 *
 * @param {string} checkout
 * @param {{ adapter: string, package: string, url: string, folder?: string }} options `url` of the
 *   server; `folder` where only one of the folders of tests is wanted
 * @returns {import('./run').Tests}
 */
function testsOfToday (checkout, { adapter, package: name, url, folder }) {
  if (folder !== undefined && !folders.includes(folder)) throw new Error(`No such folder: ${folder}. There are: ${folders.join(', ')}`)
  const tests = path.join(path.resolve(checkout), 'tests')
  if (!fs.existsSync(path.join(tests, 'integration/utils.js'))) throw new Error(`${checkout} is no checkout of PouchDB`)
  replacePackages(path.resolve(checkout))
  // Names of local adapters here would only leave tests out: of what LevelDB does, and others do not.
  if (adapter === 'http') process.env.ADAPTERS = 'http'
  else delete process.env.ADAPTERS
  Object.assign(process.env, { COUCH_HOST: url, SERVER: 'couchdb-master', VIEW_ADAPTERS: 'memory-level' })
  return {
    skipped,
    groups: (folder === undefined ? folders : [folder]).map((name) => ({
      name,
      files: testFiles(path.join(tests, name)).filter((file) => !skippedFiles.has(path.basename(file))),
      // Integration tests name the kinds of database in each suite, the others take them from ADAPTERS.
      named: name === 'integration'
    })),
    globals: () => createToday(name, path.join(tests, 'integration/utils.js')),
    prepare () {}
  }
}

/** The tests of pouchdb-find are in folders of their own. */
function testFiles (folder) {
  return fs.readdirSync(folder, { recursive: true })
    .filter((name) => /(^|\/)test\.[^/]*\.js$/.test(name))
    .sort()
    .map((name) => path.join(folder, name))
}

module.exports = { testsOfToday }
