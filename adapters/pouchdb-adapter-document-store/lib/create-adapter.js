'use strict'

const { checkOptions, nearestOf } = require('@potoroo/errors/known-options')
const { Adapter, installContract } = require('./adapter')
const { answer } = require('./call-back')
const { installDirectMethods } = require('./direct-methods')
const { openError } = require('./open-error')
const { SharedStores } = require('./shared-stores')

/** Options that PouchDB or these adapters have for all databases. */
const OPTIONS = ['adapter', 'auto_compaction', 'deterministic_revs', 'name', 'prefix', 'purged_infos_limit', 'revs_limit']

/**
 * Makes a PouchDB plugin of a way to open document stores.
 *
 * @param {object} definition
 * @param {string} definition.name of the adapter, as in `new PouchDB(name, { adapter })`
 * @param {(name: string, options: Record<string, any>) => Promise<import('./shared-stores').Opened>} definition.open
 *   opens the database, or makes it; `options` are the ones given to PouchDB
 * @param {(name: string, options: Record<string, any>) => string} [definition.identify] the same
 *   string for names of the same database; by default the name itself
 * @param {string[]} [definition.options] names of options that `open` reads, so that a misspelt one is refused
 * @returns {(PouchDB: any) => void}
 */
function createAdapter ({ name: adapterName, open, identify = (name) => name, options: ofAdapter = [] }) {
  const stores = new SharedStores()

  /** @this {any} a PouchDB instance @param {Record<string, any>} options @param {(error?: unknown) => void} callback */
  function DocumentStorePouch (options, callback) {
    const { name } = options
    const identity = identify(name, options)
    const db = this
    const use = installDirectMethods(db)
    stores.acquire(identity, () => open(name, options)).then((opened) => {
      const adapter = new Adapter(db, opened.store, options)
      connect(adapter, {
        close: () => stores.release(identity, opened),
        destroy: () => stores.destroy(identity, opened)
      })
      use(adapter)
      callback()
    }, (error) => callback(openError(name, error)))
  }
  return toPlugin(adapterName, DocumentStorePouch, ofAdapter)
}

/**
 * Makes a PouchDB instance use a store.
 *
 * @param {Adapter} adapter
 * @param {{ close: () => Promise<void>, destroy: () => Promise<void> }} ends
 */
function connect (adapter, { close, destroy }) {
  const { db } = adapter
  installContract(adapter)
  db._close = (/** @type {import('./call-back').Callback} */ callback) => {
    adapter.stop()
    answer(close(), callback)
  }
  db._destroy = (/** @type {unknown} */ options, /** @type {import('./call-back').Callback} */ callback) => {
    adapter.stop()
    answer(destroy(), callback)
  }
}

/** @param {string} name @param {any} Constructor @param {string[]} [options] that it reads @returns {(PouchDB: any) => void} */
function toPlugin (name, Constructor, options = []) {
  const known = [...OPTIONS, ...options]
  /** @this {any} a PouchDB instance @param {Record<string, any>} given @param {(error?: unknown) => void} callback */
  function CheckedPouch (given, callback) {
    try {
      refuseSlips(given, known, `The adapter ${name}`)
    } catch (error) {
      return callback(error)
    }
    Constructor.call(this, given, callback)
  }
  CheckedPouch.valid = () => true
  // Names are used as they are, without PouchDB.prefix.
  CheckedPouch.use_prefix = false
  return (PouchDB) => {
    checkVersion(name, PouchDB.version)
    PouchDB.adapter(name, CheckedPouch, true)
  }
}

/**
 * Refuses options that are nearly known ones. Others pass: PouchDB and its plugins have options of their own.
 *
 * @param {Record<string, any>} given
 * @param {string[]} known
 * @param {string} of
 * @throws TypeError
 */
function refuseSlips (given, known, of) {
  checkOptions(Object.fromEntries(Object.entries(given).filter(([name]) => nearestOf(name, known) !== undefined)), known, of)
}

/**
 * npm does not look into the package pouchdb, which has a pouchdb-core of its own.
 *
 * @param {string} name
 * @param {string} [version]
 */
function checkVersion (name, version) {
  if (version === undefined || version.startsWith('9.')) return
  throw new Error(`pouchdb-adapter-${name} goes with PouchDB 9, and this is PouchDB ${version}: install pouchdb@9, or pouchdb-core@9 with plugins of version 9`)
}

module.exports = { createAdapter, connect, toPlugin }
