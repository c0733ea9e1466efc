'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { build } = require('esbuild')
const { bundle } = require('../../adapters/pouchdb-adapter-level/scripts/bundle')

const root = path.join(__dirname, '../..')

/**
 * Makes scripts of our plugins for pages, beside PouchDB's own.
 *
 * @returns {Promise<{ files: string[], remove: () => void }>} files: PouchDB, pouchdb-adapter-level; and pouchdb-fast-sync, which does
 *   nothing before it is asked: `PouchDB.plugin(fastSync)`
 */
async function bundlePlugins () {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-browser-plugins-'))
  const fastSync = path.join(folder, 'fast-sync.js')
  await bundle(folder)
  await build({ entryPoints: [path.join(root, 'adapters/pouchdb-fast-sync/index.js')], outfile: fastSync, bundle: true, platform: 'browser', format: 'iife', globalName: 'fastSync', logLevel: 'warning' })
  return {
    files: [path.join(root, 'node_modules/pouchdb/dist/pouchdb.js'), path.join(folder, 'pouchdb.level.min.js'), fastSync],
    remove: () => fs.rmSync(folder, { recursive: true, force: true })
  }
}

module.exports = { bundlePlugins }
