'use strict'

const { Turn, toObjectInTurns } = require('@potoroo/document-store')
const { fieldsOfView, mapFields } = require('../mango/indexes/field-mapper')

/**
 * @typedef {import('@potoroo/query-server').Origin} Origin
 * @typedef {Pick<import('@potoroo/document-store').DocumentStore, 'name' | 'instanceId'>} OriginDatabase
 */

/**
 * Makes rows of documents.
 * @typedef {(documents: import('@potoroo/document-store').Document[]) => Promise<Rows[]>} Mapper
 * @typedef {Array<Array<[any, any]>>} Rows of a document, for each view: `[key, value]`
 */

/**
 * The functions of a design document's views, in order.
 *
 * @param {OriginDatabase} database
 * @param {any} ddoc
 * @param {string[]} names
 * @returns {import('@potoroo/query-server').Functions & { origin: Origin }}
 */
function functionsOf (database, ddoc, names) {
  return { sources: names.map(name => ddoc.views[name].map), library: libraryOf(ddoc), language: ddoc.language, origin: originOf(database, ddoc) }
}

/**
 * Only what `require` may reach: anything else would make the functions new ones at each change of it.
 * @param {any} ddoc
 */
function libraryOf ({ views }) {
  return views?.lib === undefined ? {} : { views: { lib: views.lib } }
}

/**
 * Tells whose functions they are.
 *
 * @param {OriginDatabase} database
 * @param {{ _id: string }} ddoc
 * @returns {Origin}
 */
function originOf ({ name, instanceId }, { _id: design }) {
  return { database: name, instance: instanceId, design }
}

/**
 * The fields of a design document's indexes, for the language `query`.
 *
 * @param {any[]} views
 * @returns {Mapper}
 */
function fieldMapper (views) {
  const mappers = views.map(sensibleMap)
  return async documents => {
    const turn = new Turn()
    /** @type {Rows[]} */
    const rows = []
    for (const document of documents) {
      if (turn.isLong) await turn.end()
      const made = toObjectInTurns(document)
      const doc = made instanceof Promise ? await made : made
      const mapped = mappers.map(map => map(doc, document.body.length))
      rows.push(mapped.some(each => each instanceof Promise) ? await Promise.all(mapped) : /** @type {Rows} */ (mapped))
    }
    return rows
  }
}

/** An index that makes no sense has no rows; the others beside it have. @param {any} view */
function sensibleMap (view) {
  try {
    return mapFields(fieldsOfView(view).map(([field]) => field), view.map)
  } catch (error) {
    if (error.status !== 400) throw error
    return () => []
  }
}

module.exports = { fieldMapper, functionsOf, libraryOf, originOf }
