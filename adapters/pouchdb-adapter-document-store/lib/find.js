'use strict'

const { toQueryError } = require('./pouch-error')

/**
 * pouchdb-find plans a query, asks for all rows that its range holds, with their documents, and only
 * then drops what the rest of the selector refuses, sorts and cuts. `db.find` gives it an instance
 * that answers with the rows that will be left. pouchdb-find then does its work on them, which changes nothing.
 *
 * @param {any} db
 * @param {() => { views: import('@potoroo/indexes').EmbeddedViews, observe: (name: string) => import('@potoroo/indexes').Observer } | null} indexes
 *   null where PouchDB's way has to be taken
 */
function installFind (db, indexes) {
  if (typeof db.find !== 'function') return
  db.find = (...args) => {
    const { find } = Object.getPrototypeOf(db)
    const known = indexes()
    return find.apply(known === null ? db : planned(db, args[0], known), args)
  }
}

/**
 * The instance as one call of pouchdb-find sees it. That asks for the design documents first, then makes its plan, and
 * then asks for rows once: of all documents, or of an index.
 */
function planned (db, request, { views, observe }) {
  let isPlanned = false
  // If the range decides everything, pouchdb-find leaves skip and limit to the query.
  const findInIndex = async (name, options) => {
    const { rows } = await views.findInIndex(name, options, wanted(request, options, request.sort?.length), observe(name))
    return { rows: filters(options) ? rows : rows.slice(options.skip ?? 0) }
  }
  const { allDocs, _customFindAbstractMapper: mapper } = db
  return Object.create(db, {
    allDocs: {
      value (options) {
        if (!isPlanned) {
          isPlanned = true
          return indexDocuments(views)
        }
        return filters(options) ? inPouchForm(views.findInAll(options, wanted(request, options))) : allDocs.call(db, options)
      }
    },
    _customFindAbstractMapper: {
      value: {
        query: (name, options) => filters(options) || options.inclusive_start === false
          ? inPouchForm(findInIndex(name, options))
          : mapper.query.call(db, name, options)
      }
    }
  })
}

/** Whether pouchdb-find looks at the rows again: then it leaves neither limit nor skip to the query. */
function filters (options) { return !('limit' in options || 'skip' in options) }

/** Read when it is needed: pouchdb-find puts the request into its own form first. */
function wanted ({ selector, limit, skip = 0 }, options, sorted = 0) {
  return { selector, fields: filters(options) ? Object.keys(selector) : [], most: limit + skip, sorted }
}

/** Returns all design documents: pouchdb-find looks for indexes in them before it plans. */
async function indexDocuments (views) {
  const documents = await inPouchForm(views.indexDocuments())
  return { rows: documents.map((doc) => ({ id: doc._id, doc })) }
}

async function inPouchForm (finding) {
  try {
    return await finding
  } catch (error) {
    throw toQueryError(error)
  }
}

module.exports = { installFind }
