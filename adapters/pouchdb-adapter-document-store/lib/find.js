'use strict'

const { LiveFind } = require('./live-find')
const { toQueryError } = require('./pouch-error')

/**
 * @typedef {{ views: import('@potoroo/indexes').EmbeddedViews, observe: (name: string) => import('@potoroo/indexes').Observer }} Known
 * @typedef {{ inMemoryFields: string[], index: { name: string } }} Plan of pouchdb-find
 */

/**
 * pouchdb-find plans a query, asks for all rows that its range holds, with their documents, and only
 * then drops what the rest of the selector refuses, sorts and cuts. `db.find` gives it an instance
 * that answers with the rows that will be left. pouchdb-find then does its work on them, which changes nothing.
 *
 * @param {any} db
 * @param {() => Known | null} indexes
 *   null where PouchDB's way has to be taken
 * @param {() => import('./live-find').Opened | null} opened
 */
function installFind (db, indexes, opened) {
  if (typeof db.find !== 'function') return
  db.find = (/** @type {any[]} */ ...args) => {
    if (args[0]?.live) return new LiveFind(db, args[0], opened)
    const { find } = Object.getPrototypeOf(db)
    const known = indexes()
    return find.apply(known === null ? db : planned(db, args[0], known), args)
  }
}

/**
 * The instance as one call of pouchdb-find sees it. That asks for the design documents first, then makes its plan, and
 * then asks for rows once: of all documents, or of an index.
 *
 * @param {any} db
 * @param {any} request
 * @param {Known} known
 */
function planned (db, request, { views, observe }) {
  let isPlanned = false
  // If the range decides everything, pouchdb-find leaves skip and limit to the query.
  const findInIndex = async (/** @type {string} */ name, /** @type {Record<string, any>} */ options) => {
    const { rows } = await views.findInIndex(name, options, wanted(request, options, request.sort?.length), observe(name))
    return { rows: filters(options) ? rows : rows.slice(options.skip ?? 0) }
  }
  const { allDocs, _customFindAbstractMapper: mapper } = db
  return Object.create(db, {
    allDocs: {
      value (/** @type {Record<string, any>} */ options) {
        if (!isPlanned) {
          isPlanned = true
          return indexDocuments(views)
        }
        return filters(options) ? inPouchForm(views.findInAll(options, wanted(request, options))) : allDocs.call(db, options)
      }
    },
    _customFindAbstractMapper: {
      value: {
        query: (/** @type {string} */ name, /** @type {Record<string, any>} */ options) => filters(options) || options.inclusive_start === false
          ? inPouchForm(findInIndex(name, options))
          : mapper.query.call(db, name, options)
      }
    }
  })
}

/**
 * Whether pouchdb-find looks at the rows again: then it leaves neither limit nor skip to the query.
 * @param {Record<string, any>} options
 */
function filters (options) { return !('limit' in options || 'skip' in options) }

/**
 * Read when it is needed: pouchdb-find puts the request into its own form first.
 *
 * @param {any} request
 * @param {Record<string, any>} options
 * @returns {import('@potoroo/indexes').Wanted}
 */
function wanted ({ selector, limit, skip = 0 }, options, sorted = 0) {
  return { selector, fields: filters(options) ? Object.keys(selector) : [], most: limit + skip, sorted }
}

/**
 * Returns all design documents: pouchdb-find looks for indexes in them before it plans.
 *
 * @param {import('@potoroo/indexes').EmbeddedViews} views
 */
async function indexDocuments (views) {
  const documents = await inPouchForm(views.indexDocuments())
  return { rows: documents.map((doc) => ({ id: doc._id, doc })) }
}

/** @template T @param {Promise<T>} finding @returns {Promise<T>} */
async function inPouchForm (finding) {
  try {
    return await finding
  } catch (error) {
    throw toQueryError(error)
  }
}

module.exports = { installFind }
