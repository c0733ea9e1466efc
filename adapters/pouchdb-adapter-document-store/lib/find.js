'use strict'

const { toQueryError } = require('./pouch-error')

/**
 * pouchdb-find plans a query, asks for all rows that its range holds, with their documents, and only
 * then drops what the rest of the selector refuses, sorts and cuts. `db.find` gives it an instance
 * that knows the plan, which pouchdb-find tells to those who debug, and answers with the rows that
 * will be left. pouchdb-find then does its work on them, which changes nothing.
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

/** The instance as one call of pouchdb-find sees it. */
function planned (db, request, { views, observe }) {
  let plan
  const filters = () => plan?.inMemoryFields.length > 0
  // If the range decides everything, pouchdb-find leaves skip and limit to the query.
  const findInIndex = async (name, options) => {
    const { rows } = await views.findInIndex(name, options, wanted(plan, request), observe(name))
    return { rows: filters() ? rows : rows.slice(options.skip ?? 0) }
  }
  const { allDocs, constructor, _customFindAbstractMapper: mapper } = db
  return Object.create(db, {
    constructor: {
      value: Object.create(constructor, {
        emit: {
          value (event, message) {
            if (message?.[0] === 'find' && message[1] === 'query plan') plan = message[2]
            return constructor.emit(event, message)
          }
        }
      })
    },
    allDocs: {
      value (options) {
        if (plan === undefined) return indexDocuments(views)
        return filters() && options.limit !== 0 ? inPouchForm(views.findInAll(options, wanted(plan, request))) : allDocs.call(db, options)
      }
    },
    _customFindAbstractMapper: {
      value: {
        query: (name, options) => filters() || options.inclusive_start === false
          ? inPouchForm(findInIndex(name, options))
          : mapper.query.call(db, name, options)
      }
    }
  })
}

/** Read when it is needed: pouchdb-find puts the request into its own form first. */
function wanted (plan, { selector, sort, limit, skip = 0 }) {
  const sorts = sort && plan.index.name !== '_all_docs'
  return { selector, fields: plan.inMemoryFields, most: limit + skip, sorted: sorts ? sort.length : 0 }
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
