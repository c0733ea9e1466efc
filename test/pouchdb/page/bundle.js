'use strict'

const { writeFileSync } = require('node:fs')
const path = require('node:path')
const { build } = require('esbuild')
const { bundle } = require('../../../adapters/pouchdb-adapter-level/scripts/bundle')
const { testFiles } = require('../release')
const { unpackRelease } = require('../tarball')

/** Tests of what Node.js alone has: they look at files. */
const ofNode = new Set(['test.defaults.js', 'test.issue915.js'])

/** The CommonJS form of pouchdb-utils calls queueMicrotask as a method of its own. */
const banner = { js: 'window.queueMicrotask = window.queueMicrotask.bind(window);' }

const root = path.join(__dirname, '../../..')

/**
 * Makes one script of the tests of PouchDB 4.0.3 and of pouchdb-find 0.10.5, and of the world that they want.
 *
 * @param {string} folder where it goes
 * @returns {Promise<string>}
 */
async function bundleTests (folder) {
  const find = path.join(unpackRelease('find'), 'test')
  const tests = path.join(unpackRelease('pouchdb'), 'tests')
  // A test loads the image by a script element, and waits until it is there.
  const files = [path.join(__dirname, 'world.js'), path.join(tests, 'integration/deps/bigimage.js'), ...testFiles(tests).filter((file) => !ofNode.has(path.basename(file)))]
  const lines = [
    ...files.map(requireOf), 'select()',
    `addFindSuites([${['test-suite-1', 'test-suite-2'].map((name) => requireOf(path.join(find, name))).join(', ')}])`, 'prepare()'
  ]
  const entry = path.join(folder, 'tests.js')
  writeFileSync(entry, lines.join('\n'))
  const outfile = path.join(folder, 'bundle.js')
  await bundle(path.join(root, 'adapters/pouchdb-adapter-level/build'))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'browser', format: 'iife', banner, conditions: ['browser'], external: ['fs', 'path', 'rimraf', 'memdown'], alias: { bluebird: path.join(__dirname, '../stand-in/bluebird.js'), events: require.resolve('events/') }, nodePaths: [path.join(root, 'node_modules')], logLevel: 'error' })
  return outfile
}

/** @param {string} file */
function requireOf (file) { return `require(${JSON.stringify(file)})` }

module.exports = { bundleTests }
