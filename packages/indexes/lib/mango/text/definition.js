'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { formatTerm, printTerm } = require('@potoroo/errors')
const { analyzer } = require('@potoroo/search')
const { runOf, signatureOf } = require('../../index/text-index')
const { assertKnown } = require('../request/find-request')
const { compileInTurns } = require('../selector/match-in-turns')
const { mangoError } = require('../selector/mango-error')
const { isObject, normalizeSelector, printSelector } = require('../selector/normalize-selector')
const { DEFAULT, MOST_UNITS, MOST_VALUES, TextFields, pathsOf } = require('./fields')
const { kinds } = require('./kinds')

/**
 * Text indexes of Mango, as design documents have them: `indexes: { name: { index: definition, analyzer } }`, and `nouveau` alike.
 *
 * @typedef {import('./kinds').TextType} TextType
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').Document} Document
 */

/** Which fields a document has: indexes of another are built again. */
const LAYOUT = 2

const NAMES = ['default_analyzer', 'default_field', 'partial_filter_selector', 'selector', 'fields', 'index_array_lengths']

/**
 * Reads the definition of a request, or of a design document.
 *
 * @param {any} index
 * @param {TextType} type
 * @returns {Record<string, any>} as CouchDB writes it
 * @throws invalid_index, invalid_index_fields_definition, and what is wrong with a partial selector
 */
function parseTextIndex (index, type) {
  if (!isObject(index)) throw mangoError('invalid_index', `Text indexes must be an object, not: ${formatTerm(index)}`)
  const { default_analyzer: standard = 'keyword', default_field: field = {}, partial_filter_selector: partial = {}, selector = {}, fields = [], index_array_lengths: lengths = true } = index
  if (typeof lengths !== 'boolean') throw mangoError('invalid_boolean', `Invalid boolean value: ${formatTerm(lengths)}`)
  assertKnown(index, NAMES)
  return {
    default_analyzer: standard,
    default_field: field,
    partial_filter_selector: printSelector(normalizeSelector(partial)),
    selector: printSelector(normalizeSelector(selector)),
    fields: parseFields(fields, type),
    index_array_lengths: lengths
  }
}

/** @param {any} fields @param {TextType} type @returns {'all_fields' | Array<{ name: string, type: string }>} */
function parseFields (fields, type) {
  if (fields === 'all_fields' || (Array.isArray(fields) && fields.length === 0)) return 'all_fields'
  const isField = (/** @type {any} */ field) => isObject(field) && Object.keys(field).length === 2 && typeof field.name === 'string' && field.name !== '' && kinds[type].fieldTypes.includes(field.type)
  if (Array.isArray(fields) && fields.every(isField)) return fields
  throw mangoError('invalid_index_fields_definition', `Text Index field definitions must be of the form\n            {"name": "non-empty fieldname", "type":\n                "${kinds[type].typesText}"}. Def: ${printTerm(fields)}`)
}

/** Returns the analyzer that a design document names. @param {Record<string, any>} index */
function analyzerOf ({ default_analyzer: standard, default_field: field }) {
  const { hasDefault, analyzer: own } = defaultOf(field)
  return hasDefault ? { name: 'perfield', default: standard, fields: { [DEFAULT]: own } } : 'keyword'
}

/** @param {any} field */
function defaultOf (field) {
  if (typeof field === 'boolean') return { hasDefault: field, analyzer: 'standard' }
  const { enabled = true, analyzer = 'standard' } = isObject(field) ? field : {}
  return { hasDefault: enabled !== false, analyzer }
}

/** The partial selector, in its place of earlier versions, too. @param {Record<string, any>} index */
function partialOf ({ partial_filter_selector: partial, selector }) {
  const given = Object.keys(partial).length > 0 ? partial : selector
  return Object.keys(given).length > 0 ? normalizeSelector(given) : null
}

/**
 * How an index is built, and what queries have to know of it.
 *
 * @param {DocumentStore} database
 * @param {string} ddoc id
 * @param {Record<string, any>} index as `parseTextIndex` gives it
 * @param {TextType} type
 */
function describeText (database, ddoc, index, type) {
  const { dialect, analyzers } = kinds[type]
  const analyze = analyzer(analyzerOf(index), { dialect: analyzers })
  const { hasDefault } = defaultOf(index.default_field)
  const fields = index.fields === 'all_fields' ? null : new Set(index.fields.map((/** @type {{ name: string, type: string }} */ { name, type }) => `${name}:${type}`))
  const partial = partialOf(index)
  const paths = pathsOf(fields)
  const options = { fields, paths, hasDefault, hasLengths: index.index_array_lengths, analyze }
  const signature = signatureOf(dialect, ['mango', LAYOUT, index])
  return { analyze, fields, paths, hasDefault, partial, definition: { signature, collations: [], isText: true, reads: {}, design: ddoc, mapInParts: textMaker(database, ddoc, options, partial) } }
}

/** Says why a document is left out of an index. */
const TOO_MUCH = `it has more than ${MOST_VALUES} values, or ${MOST_UNITS} characters`

/**
 * Tells the database's listeners to `unindexed` of documents that are left out.
 *
 * @param {DocumentStore} database
 * @param {string} ddoc id
 * @param {import('./fields').TextOptions} options
 * @param {import('../selector/normalize-selector').Node | null} partial
 * @returns {NonNullable<import('../../index/view-index').Definition['mapInParts']>}
 */
function textMaker (database, ddoc, options, partial) {
  const accepts = partial === null ? undefined : compileInTurns(partial)
  return async (documents, put) => {
    for (const document of documents) {
      const doc = await toObjectInTurns(document)
      const isIn = accepts === undefined || await accepts(doc, document.body.length, database.name)
      const fields = new TextFields(options)
      await put([runOf(isIn ? await fields.build(doc) : undefined, document, database.partitioned)])
      if (fields.isTooMuch) database.emit('unindexed', { ddoc, id: document.id, rev: document.rev, why: TOO_MUCH })
    }
  }
}

module.exports = { analyzerOf, describeText, parseTextIndex }
