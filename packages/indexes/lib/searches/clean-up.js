'use strict'

const { dropUnwanted } = require('../index/drop-unwanted')
const { isOf } = require('../index/text-index')
const { mangoTextsOf } = require('../mango/text/indexes')
const { vectorIndexesOf } = require('../mango/vector/indexes')
const { textDefinitionOrNone, textIndexNames } = require('./definition')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./dialects').Dialect} Dialect
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 */

/**
 * Drops the indexes of a dialect that no design document asks for. Vectors go with `search`.
 *
 * @param {DocumentStore} database
 * @param {Dialect} dialect
 * @param {QueryServer} queryServer
 */
function cleanUp (database, dialect, queryServer) {
  return dropUnwanted(database, signature => isOf(signature, dialect), ddoc => signaturesIn(database, ddoc, dialect, queryServer))
}

/** @param {DocumentStore} database @param {any} ddoc @param {Dialect} dialect @param {QueryServer} queryServer @returns {Promise<Array<string | undefined>>} */
async function signaturesIn (database, ddoc, dialect, queryServer) {
  const ofMango = [...await mangoTextsOf(database, ddoc), ...await vectorIndexesOf(database, ddoc)].map(({ signature }) => signature)
  return [...ofMango, ...textIndexNames(ddoc, dialect).map(name => textDefinitionOrNone(database, ddoc, dialect, name, queryServer)?.signature)]
}

module.exports = { cleanUp }
