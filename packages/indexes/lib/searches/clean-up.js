'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { Catalogue } = require('../index/catalogue')
const { mangoTextsOf } = require('../mango/text/text-indexes')
const { vectorIndexesOf } = require('../mango/vector/vector-indexes')
const { isOf, textDefinitionOrNone, textIndexNames } = require('../text/definition')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../text/definition').Dialect} Dialect
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 */

/**
 * Drops the indexes of a dialect that no design document asks for. Vectors go with `search`.
 *
 * @param {DocumentStore} database
 * @param {Dialect} dialect
 * @param {QueryServer} queryServer
 */
async function cleanUp (database, dialect, queryServer) {
  const wanted = new Set()
  const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of /** @type {AsyncIterable<Array<{ document?: Document | null }>>} */ (rows)) {
    for (const { document } of page) {
      if (!document) continue
      for (const signature of await signaturesIn(database, await toObjectInTurns(document), dialect, queryServer)) wanted.add(signature)
    }
  }
  const catalogue = await Catalogue.of(database)
  for (const signature of catalogue.signatures()) if (isOf(signature, dialect) && !wanted.has(signature)) await catalogue.drop(signature)
}

/** @param {DocumentStore} database @param {any} ddoc @param {Dialect} dialect @param {QueryServer} queryServer @returns {Promise<Array<string | undefined>>} */
async function signaturesIn (database, ddoc, dialect, queryServer) {
  const ofMango = [...await mangoTextsOf(database, ddoc), ...await vectorIndexesOf(database, ddoc)].map(({ signature }) => signature)
  return [...ofMango, ...textIndexNames(ddoc, dialect).map(name => textDefinitionOrNone(database, ddoc, dialect, name, queryServer)?.signature)]
}

module.exports = { cleanUp }
