'use strict'

const { basename, resolve } = require('node:path')
const { createAdapter } = require('pouchdb-adapter-document-store')
const { POOL, readMarker } = require('./lib/marker')
const { openOwnPool, wantsOwnPool } = require('./lib/own-pool')
const { createShared, openShared } = require('./lib/shared-pool')

module.exports = createAdapter({
  name: 'pmem',
  identify: (name) => resolve(name),
  options: ['key', 'maxSize', 'shared', 'size'],
  async open (name, options) {
    const folder = resolve(name)
    if (basename(folder) === POOL) throw new Error(`${folder} is where the databases of its folder have their pool`)
    let opened = null
    // If others made the database meanwhile, it is looked at again.
    while (opened === null) opened = await open(folder, options)
    return opened
  }
})

/** @param {string} folder @param {any} options of PouchDB */
function open (folder, options) {
  const map = readMarker(folder)
  if (map !== undefined) return openShared(folder, map, options)
  return wantsOwnPool(folder, options) ? openOwnPool(folder, options) : createShared(folder, options)
}
