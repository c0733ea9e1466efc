'use strict'

const { Adapter } = require('./adapter')
const { connect, toPlugin } = require('./create-adapter')
const { installDirectMethods } = require('./direct-methods')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} Store
 * @typedef {import('@potoroo/document-store').Databases} Databases
 * @typedef {{ name: string, store?: Store, databases?: Databases, [name: string]: any }} Options the ones given to PouchDB
 */

/**
 * The adapter `document-store`: PouchDB on a store that somebody else opened, and closes.
 * With `databases`, a catalogue, other names
 * are looked up there and made where there are none.
 *
 * @param {Options} options
 * @returns {Promise<Store>}
 */
async function findStore ({ name, store, databases }) {
  if (store?.name === name) return store
  if (databases === undefined) throw new Error(`No document store for ${name}: give it as \`store\`, or give \`databases\``)
  return databases.has(name) ? databases.get(name) : create(databases, name)
}

/**
 * Somebody else may make it at the same time.
 *
 * @param {Databases} databases
 * @param {string} name
 */
async function create (databases, name) {
  try {
    // One that is shared with other servers is not opened by making it.
    return await databases.create(name) ?? await databases.get(name)
  } catch (error) {
    if (error.code !== 'DATABASE_EXISTS') throw error
    return databases.get(name)
  }
}

/** @this {any} a PouchDB instance @param {Options} options @param {(error?: unknown) => void} callback */
function OpenStorePouch (options, callback) {
  const db = this
  const use = installDirectMethods(db)
  findStore(options).then((store) => {
    const adapter = new Adapter(db, store, options)
    const onDestroy = () => {
      adapter.stop()
      if (!db._destroyed) db.emit('destroyed')
    }
    connect(adapter, {
      close: async () => { store.off('destroy', onDestroy) },
      destroy: () => destroy(options, store, () => store.off('destroy', onDestroy))
    })
    store.once('destroy', onDestroy)
    use(adapter)
    callback()
  }, callback)
}

/** @param {Options} options @param {Store} store @param {() => void} forget */
async function destroy ({ databases }, store, forget) {
  forget()
  if (databases?.has(store.name)) await databases.destroy(store.name)
  else await store.destroy()
}

module.exports = { plugin: toPlugin('document-store', OpenStorePouch, ['databases', 'store']) }
