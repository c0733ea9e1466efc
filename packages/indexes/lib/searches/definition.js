'use strict'

const { isObject, toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Dictionaries, analyzer, functionEncoder } = require('@potoroo/search')
const { DIALECTS, dialects } = require('./dialects')
const { runOf, signatureOf } = require('../index/text-index')
const { originOf } = require('../views/mapper')

/**
 * The text indexes that design documents define.
 *
 * @typedef {import('./dialects').Dialect} Dialect
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {Pick<DocumentStore, 'name' | 'instanceId' | 'partitioned'>} DefiningDatabase
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 * @typedef {import('../index/view-index').Definition} Definition
 *
 * @typedef {object} TextDefinition
 * @property {Dialect} dialect
 * @property {string} signature
 * @property {any} analyzer what it is made of
 * @property {(text: string, field?: string) => import('@potoroo/search').Token[]} analyze
 * @property {Definition} definition
 */

/** Documents from which on terms are remembered for those that come after: it is an index that is built. */
const MANY = 500

/** @param {any} ddoc @param {Dialect} dialect @returns {string[]} names */
function textIndexNames (ddoc, dialect) {
  const indexes = ddoc[dialects[dialect].member]
  return isObject(indexes) ? Object.keys(indexes).filter(name => typeof indexes[name]?.index === 'string') : []
}

/**
 * @param {DefiningDatabase} database
 * @param {any} ddoc
 * @param {Dialect} dialect
 * @param {string} name
 * @param {QueryServer} queryServer
 * @returns {TextDefinition}
 * @throws not_found, invalid_design_doc, bad_request of an unknown analyzer
 */
function textDefinition (database, ddoc, dialect, name, queryServer) {
  const { member, analyzers, analyzerOf } = dialects[dialect]
  const indexes = ddoc[member]
  if (!isObject(indexes) || !Object.hasOwn(indexes, name)) throw createError('MISSING', { reason: `${name} not found.` })
  const index = indexes[name]
  if (!isObject(index) || typeof index.index !== 'string') throw createError('BAD_REQUEST', { error: 'invalid_design_doc', reason: `index \`${name}\` must have parameter \`index\`` })
  const spec = analyzerOf(index)
  const analyze = analyzer(spec, { dialect: analyzers })
  const { language } = ddoc
  const signature = signatureOf(dialect, [spec, index.index, language])
  const functions = { sources: [index.index], language, origin: originOf(database, ddoc), indexes: dialect }
  const mapInParts = documentMaker(functions, { dialect, analyzer: spec }, database, queryServer)
  return { dialect, signature, analyzer: spec, analyze, definition: { signature, collations: [], isText: true, reads: {}, design: ddoc._id, mapInParts } }
}

/**
 * The text indexes of a design document that are kept up to date in the background. It leaves out those that cannot be
 * made: a query is told why.
 *
 * @param {import('../index/catalogue').Catalogue} catalogue
 * @param {DocumentStore} database
 * @param {any} ddoc
 * @param {QueryServer} queryServer
 */
function textIndexesOf (catalogue, database, ddoc, queryServer) {
  return DIALECTS.filter(dialect => ddoc.autoupdate?.[dialect] !== false)
    .flatMap(dialect => textIndexNames(ddoc, dialect).map(name => textDefinitionOrNone(database, ddoc, dialect, name, queryServer)))
    .flatMap(made => made === undefined ? [] : [catalogue.open(made.definition)])
}

/** @param {DocumentStore} database @param {any} ddoc @param {Dialect} dialect @param {string} name @param {QueryServer} queryServer */
function textDefinitionOrNone (database, ddoc, dialect, name, queryServer) {
  try {
    return textDefinition(database, ddoc, dialect, name, queryServer)
  } catch (error) {
    if (error.status === undefined) throw error
    return undefined
  }
}

/**
 * @param {import('@potoroo/query-server').Functions} functions
 * @param {any} options of the encoder
 * @param {DefiningDatabase} database
 * @param {QueryServer} queryServer
 * @returns {NonNullable<Definition['mapInParts']>}
 */
function documentMaker (functions, options, database, queryServer) {
  let known = new Dictionaries()
  return async (documents, put, { background }) => {
    if (documents.length < MANY || known.isFull) known = new Dictionaries()
    const dictionaries = known
    let next = 0
    const take = (/** @type {any} */ part) => {
      if (part !== null) dictionaries.complete(part.terms)
      const some = documents.slice(next, next += part?.documents ?? 1)
      return put(some.map((document, i) => runOf(part === null ? undefined : part.built[i], document, database.partitioned)))
    }
    const encoder = { module: functionEncoder, options: { ...options, session: dictionaries.session } }
    try {
      await queryServer.mapInParts(functions, documents.map(document => toJson(document)), { encoder, take, background })
    } catch (error) {
      // Terms that a thread has sent may not have been taken.
      if (known === dictionaries) known = new Dictionaries()
      throw error
    }
  }
}

module.exports = { textDefinition, textDefinitionOrNone, textIndexNames, textIndexesOf }
