'use strict'

const { allDocs } = require('./all-docs')
const { getAttachment, putAttachment } = require('./attachment')
const { bulkDocs, post, put } = require('./bulk-docs')
const { bulkGet, revsDiff } = require('./bulk-get')
const { installCreateIndex } = require('./create-index')
const { installFind } = require('./find')
const { get } = require('./get')
const { installHistory } = require('./history')
const { installJsonQuery } = require('./json-query')
const { installPurge } = require('./purge')
const { installSearch } = require('./search')
const { installTransact } = require('./transact')
const { installViews } = require('./views')

/**
 * @typedef {import('./adapter').Adapter} Adapter
 * @typedef {(adapter: Adapter, ...args: any[]) => Promise<any>} Method
 */

/**
 * Public methods that go straight to the document store. pouchdb-core's own clone all arguments
 * and pass through a promise for each layer, so that the caller and the adapter may change them;
 * the store changes nothing that it is given and reads it before it returns, so neither is needed.
 *
 * @type {Record<string, Method>}
 */
const methods = {
  get: ({ store }, id, options) => get(store, id, options),
  getAttachment: ({ store }, id, name, options) => getAttachment(store, id, name, options),
  allDocs: ({ store }, options) => allDocs(store, options),
  bulkGet: ({ store }, options) => bulkGet(store, options),
  revsDiff: ({ store }, request) => revsDiff(store, request),
  bulkDocs,
  post,
  put,
  putAttachment
}

/** In pouchdb-core these call the others: a plugin that replaced the other one must be heard. @type {Record<string, string[]>} */
const callees = { put: ['bulkDocs'], post: ['bulkDocs'], bulkGet: ['get'], putAttachment: ['get', 'put', 'bulkDocs'] }

/** By these PouchDB's own indexes read a database. */
const reads = ['get', 'allDocs', 'changes']

/**
 * Puts them over pouchdb-core's, at once: plugins and applications wrap the methods of an instance
 * before it is open. pouchdb-core's still serve an instance that is not open yet or no longer, one
 * whose calls are being logged, and `put` with `force`.
 *
 * @param {any} db the PouchDB instance
 * @returns {(adapter: Adapter) => void} to be called once it is open
 */
function installDirectMethods (db) {
  /** @type {Record<string, any>} */
  const own = { changes: db.changes }
  const isReplaced = () => reads.some((name) => db[name] !== own[name])
  /** @type {Adapter | null} */
  let adapter = null
  /** @type {ReturnType<ReturnType<typeof installViews>> | null} */
  let indexes = null
  installPurge(db, () => /** @type {Adapter} */ (adapter))
  installTransact(db, () => /** @type {Adapter} */ (adapter))
  installHistory(db, () => /** @type {Adapter} */ (adapter))
  installJsonQuery(db, () => /** @type {Adapter} */ (adapter))
  installSearch(db, () => /** @type {Adapter} */ (adapter))
  installCreateIndex(db)
  const openViews = installViews(db, isReplaced)
  installFind(db, () => adapter !== null && isDirect(db, 'find', []) && !isReplaced() ? indexes : null,
    () => adapter === null || indexes === null || isReplaced() ? null : { adapter, views: indexes.views })
  for (const [name, method] of Object.entries(methods)) {
    const general = db[name]
    const called = callees[name] ?? []
    own[name] = db[name] = (/** @type {any[]} */ ...args) => {
      const direct = adapter !== null && isDirect(db, name, args) && called.every((callee) => db[callee] === own[callee])
      return direct ? call(/** @type {Adapter} */ (adapter), method, args) : general(...args)
    }
  }
  return (opened) => {
    adapter = opened
    indexes = openViews(adapter.store)
  }
}

/** @param {any} db @param {string} name @param {any[]} args */
function isDirect (db, name, args) {
  if (!db.taskqueue.isReady || db._closed || db._destroyed) return false
  if (db.constructor.listenerCount('debug') > 0) return false
  return !(name === 'put' && args[1]?.force)
}

/**
 * The promise is returned with a callback too, as PouchDB does.
 *
 * @param {Adapter} adapter
 * @param {Method} method
 * @param {any[]} args
 */
function call (adapter, method, args) {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined
  const promise = method(adapter, ...args)
  if (callback) promise.then((result) => callback(null, result), callback)
  return promise
}

module.exports = { installDirectMethods }
