'use strict'

const { Turn, toJson, toObject } = require('@potoroo/document-store')
const { fieldsOfView, mapFields } = require('./mango/field-mapper')

/**
 * Makes rows of documents.
 * @typedef {(documents: import('@potoroo/document-store').Document[], options?: import('@potoroo/query-server').CallOptions) => Promise<Array<Array<Array<[any, any]>>>>} Mapper
 *   for each document, for each view, its rows `[key, value]`
 */

/**
 * The mapper of a design document: its functions in the sandbox, or, for the language `query`,
 * the fields of its indexes.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} ddoc
 * @param {string[]} names of its views, in order
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @returns {Mapper}
 */
function mapperFor (database, ddoc, names, queryServer) {
  if (ddoc.language === 'query') return fieldMapper(names.map(name => ddoc.views[name]))
  const functions = { sources: names.map(name => ddoc.views[name].map), library: libraryOf(ddoc), origin: originOf(database, ddoc) }
  return (documents, options) => queryServer.map(functions, documents.map(document => toJson(document)), options)
}

/**
 * Only what `require` may reach: anything else would make the functions new ones at each change of it.
 * @param {any} ddoc
 */
function libraryOf ({ views }) {
  return views?.lib === undefined ? {} : { views: { lib: views.lib } }
}

/** Whose functions they are. @returns {import('@potoroo/query-server').Origin} */
function originOf ({ name, instanceId }, { _id: design }) {
  return { database: name, instance: instanceId, design }
}

/** @returns {Mapper} */
function fieldMapper (views) {
  const mappers = views.map(sensibleMap)
  return async documents => {
    const turn = new Turn()
    const rows = []
    for (const document of documents) {
      if (turn.isLong) await turn.end()
      const doc = toObject(document)
      rows.push(mappers.map(map => map(doc)))
    }
    return rows
  }
}

/** An index that makes no sense has no rows; the others beside it have. */
function sensibleMap (view) {
  try {
    return mapFields(fieldsOfView(view).map(([field]) => field), view.map)
  } catch (error) {
    if (error.status !== 400) throw error
    return () => []
  }
}

module.exports = { mapperFor, libraryOf, originOf }
