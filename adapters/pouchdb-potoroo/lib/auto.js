'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * The adapter that a database gets if nobody names one: the one that has it already, or persistent memory, or LevelDB
 * where persistent memory is not available.
 *
 * @param {any} PouchDB
 * @param {string | undefined} missing why there is no persistent memory
 */
function addAuto (PouchDB, missing) {
  let isTold = false

  /** @param {string} name @returns {string} an adapter */
  function choose (name) {
    const folder = path.resolve(name)
    if (fs.existsSync(path.join(folder, 'CURRENT'))) return 'classic-level'
    if (missing === undefined) return 'pmem'
    if (isTaken(folder)) throw new Error(`${folder} holds something else than LevelDB, and persistent memory is not available: ${missing}`)
    if (!isTold) process.emitWarning(`New databases are stored in LevelDB, and not in persistent memory: ${missing}`, { code: 'POTOROO_NO_PMEM' })
    isTold = true
    return 'classic-level'
  }

  /** @this {any} a PouchDB instance @param {{ name: string }} options @param {(error?: unknown) => void} callback */
  function AutoPouch (options, callback) {
    let adapter
    try {
      adapter = choose(options.name)
    } catch (error) {
      return callback(error)
    }
    this.adapter = this._adapter = adapter
    PouchDB.adapters[adapter].call(this, options, callback)
  }
  AutoPouch.valid = () => true
  AutoPouch.use_prefix = false
  PouchDB.adapter('auto', AutoPouch)
  PouchDB.preferredAdapters.unshift('auto')
}

/** @param {string} folder */
function isTaken (folder) {
  const info = fs.statSync(folder, { throwIfNoEntry: false })
  return info !== undefined && (!info.isDirectory() || fs.readdirSync(folder).length > 0)
}

module.exports = { addAuto }
