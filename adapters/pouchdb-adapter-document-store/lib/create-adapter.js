'use strict'

const { Adapter, installContract } = require('./adapter')
const { answer } = require('./call-back')
const { installDirectMethods } = require('./direct-methods')
const { openError } = require('./open-error')
const { SharedStores } = require('./shared-stores')

/**
 * Makes a PouchDB plugin of a way to open document stores.
 *
 * @param {object} definition
 * @param {string} definition.name of the adapter, as in `new PouchDB(name, { adapter })`
 * @param {(name: string, options: Record<string, any>) => Promise<import('./shared-stores').Opened>} definition.open
 *   opens the database, or makes it; `options` are the ones given to PouchDB
 * @param {(name: string, options: Record<string, any>) => string} [definition.identify] the same
 *   string for names of the same database; by default the name itself
 * @returns {(PouchDB: any) => void}
 */
function createAdapter ({ name: adapterName, open, identify = (name) => name }) {
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
  return toPlugin(adapterName, DocumentStorePouch)
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

/** @param {string} name @param {any} Constructor @returns {(PouchDB: any) => void} */
function toPlugin (name, Constructor) {
  Constructor.valid = () => true
  // Names are used as they are, without PouchDB.prefix.
  Constructor.use_prefix = false
  return (PouchDB) => {
    checkVersion(name, PouchDB.version)
    PouchDB.adapter(name, Constructor, true)
  }
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
