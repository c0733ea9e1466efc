'use strict'

const { EmbeddedViews } = require('@potoroo/indexes')
const { guardedConsole } = require('pouchdb-utils')

const { toPouchDocument } = require('./outgoing-document')
const { toQueryError } = require('./pouch-error')

/** @typedef {Record<string, any>} Options of `db.query` */

/**
 * The methods that pouchdb-mapreduce and pouchdb-find ask of an adapter that has indexes of its own. It is there
 * at once, and waits until the database is open: otherwise a first query would be answered by
 * PouchDB's own way to index, in a database that depends on this one. An instance whose reading was
 * replaced has none of it: that way goes through what replaced it.
 *
 * @param {any} db the PouchDB instance
 * @param {() => boolean} isReplaced
 * @returns {(store: import('@potoroo/document-store').DocumentStore) => { views: EmbeddedViews, observe: (name: string) => import('@potoroo/indexes').Observer }}
 *   to be called once it is open; returns what `db.find` needs
 */
function installViews (db, isReplaced) {
  /** @type {EmbeddedViews | null} */
  let views = null
  const opened = async () => views ?? afterOpening(db).then(() => /** @type {EmbeddedViews} */ (views))
  const query = async (/** @type {string} */ name, /** @type {Options} */ options) => answerOf((await opened()).query(name, options, observe(db, name)), options)
  const queryIndex = async (/** @type {string} */ name, /** @type {Options} */ options) => answerOf((await opened()).queryIndex(name, options, observe(db, name)), options)
  const queryFunction = async (/** @type {any} */ view, /** @type {Options} */ options) => options.saveAs
    ? querySaved(await opened(), view, options, observe(db, options.saveAs))
    : answerOf((await opened()).queryTemporary(view, options, observe(db, 'temp_view/temp_view')), options)
  const viewCleanup = async () => cleanup(await opened())
  install(db, isReplaced, {
    _query: (/** @type {any} */ view, /** @type {Options} */ options, /** @type {import('./call-back').Callback} */ callback) => call(typeof view === 'string' ? query : queryFunction, [view, options], callback),
    _viewCleanup: (/** @type {import('./call-back').Callback} */ callback) => call(viewCleanup, [], callback),
    _customFindAbstractMapper: { query: queryIndex, viewCleanup }
  })
  return (store) => {
    views = new EmbeddedViews(store)
    return { views, observe: (name) => observe(db, name) }
  }
}

/** @param {any} db */
function afterOpening (db) {
  return new Promise((resolve, reject) => {
    db.taskqueue.addTask((/** @type {unknown} */ failed) => failed ? reject(failed) : resolve(undefined))
  })
}

/**
 * Members of the instance that are not there while its reading is replaced.
 *
 * @param {any} db
 * @param {() => boolean} isReplaced
 * @param {Record<string, any>} members
 */
function install (db, isReplaced, members) {
  for (const [name, member] of Object.entries(members)) {
    Object.defineProperty(db, name, {
      configurable: true,
      enumerable: true,
      get: () => isReplaced() ? undefined : member,
      set: (value) => Object.defineProperty(db, name, { value, configurable: true, enumerable: true, writable: true })
    })
  }
}

/**
 * pouchdb-mapreduce-no-ddocs, which pouchdb-quick-search has, names an index and may drop it.
 *
 * @param {EmbeddedViews} views
 * @param {any} view
 * @param {Options} options
 * @param {import('@potoroo/indexes').Observer} observer
 */
async function querySaved (views, view, options, observer) {
  if (!options.destroy) return answerOf(views.querySaved(view, options, observer), options)
  await answerOf(views.dropSaved(options.saveAs), {})
  return { ok: true }
}

/** @param {(...args: any[]) => Promise<unknown>} method @param {any[]} args @param {import('./call-back').Callback} callback */
function call (method, args, callback) {
  method(...args).then((result) => callback(null, result), callback)
}

/** @param {EmbeddedViews} views */
async function cleanup (views) {
  try {
    await views.cleanup()
  } catch (error) {
    throw toQueryError(error)
  }
  return { ok: true }
}

/**
 * @param {Promise<any>} answering a query, with documents as the store reads them
 * @param {Options} options
 */
async function answerOf (answering, options) {
  let answer
  try {
    answer = await answering
  } catch (error) {
    throw toQueryError(error)
  }
  if (options.include_docs) givePouchDocuments(answer.rows, options)
  return answer
}

/**
 * Rows of one document share it, as in PouchDB.
 *
 * @param {any[]} rows
 * @param {Options} options
 */
function givePouchDocuments (rows, { binary }) {
  const docs = new Map()
  for (const row of rows) {
    const { document } = row
    if (document === undefined) continue
    if (!docs.has(document)) docs.set(document, toPouchDocument(document, { binary }))
    row.doc = docs.get(document)
    delete row.document
  }
}

/**
 * Tells the instance of an index's progress and of its functions' errors, by PouchDB's events and
 * active tasks.
 *
 * @param {any} db
 * @param {string} name of the view
 * @returns {Required<import('@potoroo/indexes').Observer>}
 */
function observe (db, name) {
  const view = `${db.name}-mrview-${name}`
  /** @type {unknown} */
  let task
  let indexed = 0
  db.emit('indexing', { view, indexed_docs: 0 })
  return {
    onStart: (total) => { task = db.activeTasks.add({ name: 'view_indexing', total_items: total }) },
    onStep ({ seq, documents }) {
      indexed += documents
      db.emit('indexing', { view, last_seq: seq, results_count: documents, indexed_docs: indexed })
      db.activeTasks.update(task, { completed_items: indexed })
    },
    onEnd: (error) => db.activeTasks.remove(task, error),
    onError: (error, about) => emitError(db, error, about)
  }
}

/**
 * Without a listener it is written to the console.
 *
 * @param {any} db
 * @param {unknown} error
 * @param {unknown} about
 */
function emitError (db, error, about) {
  try {
    db.emit('error', error)
  } catch {
    guardedConsole('error', 'A map or reduce function threw an error. Listen for the database\'s "error" event to debug it.')
    guardedConsole('error', error, about)
  }
}

module.exports = { installViews }
