'use strict'

const { toQueryError } = require('./pouch-error')

/**
 * @typedef {{ views: import('@potoroo/indexes').EmbeddedViews, observe: (name: string) => import('@potoroo/indexes').Observer }} Known
 * @typedef {{ inMemoryFields: string[], index: { name: string } }} Plan of pouchdb-find
 */

/**
 * pouchdb-find plans a query, asks for all rows that its range holds, with their documents, and only
 * then drops what the rest of the selector refuses, sorts and cuts. `db.find` gives it an instance
 * that knows the plan, which pouchdb-find tells to those who debug, and answers with the rows that
 * will be left. pouchdb-find then does its work on them, which changes nothing.
 *
 * @param {any} db
 * @param {() => Known | null} indexes
 *   null where PouchDB's way has to be taken
 */
function installFind (db, indexes) {
  if (typeof db.find !== 'function') return
  db.find = (/** @type {any[]} */ ...args) => {
    const { find } = Object.getPrototypeOf(db)
    const known = indexes()
    return find.apply(known === null ? db : planned(db, args[0], known), args)
  }
}

/**
 * The instance as one call of pouchdb-find sees it.
 *
 * @param {any} db
 * @param {any} request
 * @param {Known} known
 */
function planned (db, request, { views, observe }) {
  /** @type {Plan | undefined} */
  let plan
  const filters = () => plan !== undefined && plan.inMemoryFields.length > 0
  // If the range decides everything, pouchdb-find leaves skip and limit to the query.
  const findInIndex = async (/** @type {string} */ name, /** @type {Record<string, any>} */ options) => {
    const { rows } = await views.findInIndex(name, options, wanted(/** @type {Plan} */ (plan), request), observe(name))
    return { rows: filters() ? rows : rows.slice(options.skip ?? 0) }
  }
  const { allDocs, constructor, _customFindAbstractMapper: mapper } = db
  return Object.create(db, {
    constructor: {
      value: Object.create(constructor, {
        emit: {
          value (/** @type {string} */ event, /** @type {any} */ message) {
            if (message?.[0] === 'find' && message[1] === 'query plan') plan = message[2]
            return constructor.emit(event, message)
          }
        }
      })
    },
    allDocs: {
      value (/** @type {Record<string, any>} */ options) {
        if (plan === undefined) return indexDocuments(views)
        return filters() && options.limit !== 0 ? inPouchForm(views.findInAll(options, wanted(plan, request))) : allDocs.call(db, options)
      }
    },
    _customFindAbstractMapper: {
      value: {
        query: (/** @type {string} */ name, /** @type {Record<string, any>} */ options) => filters() || options.inclusive_start === false
          ? inPouchForm(findInIndex(name, options))
          : mapper.query.call(db, name, options)
      }
    }
  })
}

/**
 * Read when it is needed: pouchdb-find puts the request into its own form first.
 *
 * @param {Plan} plan
 * @param {any} request
 * @returns {import('@potoroo/indexes').Wanted}
 */
function wanted (plan, { selector, sort, limit, skip = 0 }) {
  const sorts = sort && plan.index.name !== '_all_docs'
  return { selector, fields: plan.inMemoryFields, most: limit + skip, sorted: sorts ? sort.length : 0 }
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
