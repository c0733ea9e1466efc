'use strict'

const crypto = require('node:crypto')
const { isObject, partitionOf, toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Dictionaries, INDEX_LAYOUT, analyzer, functionEncoder, identify } = require('@potoroo/search')
const { originOf } = require('../views/mapper')

/**
 * The two ways in which design documents define text indexes: `indexes` with `index (name, value, options)`, as CouchDB
 * has them with Clouseau, and `nouveau` with `index (type, name, value, options)`.
 *
 * @typedef {'search' | 'nouveau'} Dialect
 *
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {Pick<DocumentStore, 'name' | 'instanceId' | 'partitioned'>} DefiningDatabase
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 * @typedef {import('@potoroo/search').BuiltDocument} BuiltDocument
 * @typedef {import('../index/view-index').Definition} Definition
 *
 * @typedef {object} TextDefinition
 * @property {Dialect} dialect
 * @property {string} signature
 * @property {any} analyzer what it is made of
 * @property {(text: string, field?: string) => import('@potoroo/search').Token[]} analyze
 * @property {Definition} definition
 */

/** The layout of records, and what terms depend on besides the analyzer's name: indexes of another are built again. */
const VERSION = `${INDEX_LAYOUT} ${process.versions.icu}`

/** The weight of a document in a batch, which is counted in rows of views: there is less to be written. */
const UNITS = 16

/** Documents from which on terms are remembered for those that come after: it is an index that is built. */
const MANY = 500

/** @type {Record<Dialect, { member: string, analyzerOf: (index: any) => any }>} */
const dialects = {
  search: { member: 'indexes', analyzerOf: ({ analyzer = 'standard' }) => analyzer },
  nouveau: {
    member: 'nouveau',
    analyzerOf: ({ default_analyzer: standard = 'standard', field_analyzers: fields = {} }) => ({ name: 'perfield', default: standard, fields })
  }
}

/** @type {Dialect[]} */
const DIALECTS = ['search', 'nouveau']

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
  const { member, analyzerOf } = dialects[dialect]
  const indexes = ddoc[member]
  if (!isObject(indexes) || !Object.hasOwn(indexes, name)) throw createError('MISSING', { reason: `${name} not found.` })
  const index = indexes[name]
  if (!isObject(index) || typeof index.index !== 'string') throw createError('BAD_REQUEST', { error: 'invalid_design_doc', reason: `index \`${name}\` must have parameter \`index\`` })
  const spec = analyzerOf(index)
  const analyze = analyzer(spec, { dialect: dialect === 'nouveau' ? 'nouveau' : 'clouseau' })
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

/** @param {Dialect} dialect @param {any[]} parts what the records depend on */
function signatureOf (dialect, parts) {
  return `${dialect}:${crypto.createHash('md5').update(JSON.stringify([VERSION, ...parts])).digest('hex')}`
}

/** Whether a signature is of a text index. @param {string} signature @param {Dialect} dialect */
function isOf (signature, dialect) { return signature.startsWith(`${dialect}:`) }

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

/**
 * A document that its function gave nothing of is not in the index.
 *
 * @param {BuiltDocument | undefined} built
 * @param {Document} document
 * @param {boolean} partitioned
 * @returns {any} a run of one row, or none
 */
function runOf (built, { id }, partitioned) {
  const isThere = built !== undefined && (built.fields.length > 0 || built.numbers.length > 0 || Object.keys(built.stored).length > 0)
  const rows = isThere ? [{ built: identify(built, partitioned ? partitionOf(id) ?? undefined : undefined), bytes: built.units / UNITS }] : []
  return { rows, starts: true, ends: true }
}

module.exports = { DIALECTS, dialects, isOf, runOf, signatureOf, textDefinition, textDefinitionOrNone, textIndexNames, textIndexesOf }
