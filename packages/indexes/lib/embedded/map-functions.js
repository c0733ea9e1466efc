'use strict'

const crypto = require('node:crypto')
const { toJson, toObject } = require('@potoroo/document-store')
const { massageSelector, parseField } = require('pouchdb-selector-core')
const { pouchCollation } = require('@potoroo/collation')
const { readPath } = require('../mango/selector/path')
const { makeRow } = require('../rows/row')
const { compile } = require('./compile')
const { compileSelector } = require('./selector')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../rows/row').Row} Row
 */

/**
 * Makes rows of one document. Its errors concern that document alone. It is asked for
 * before each batch of documents.
 *
 * @typedef {() => (document: Document, rows: Row[]) => void} MapDocument
 * @typedef {(documents: Document[], observer: import('../index/view-index').Observer) => Row[][]} MapDocuments the rows of each document
 */

/**
 * @param {string} source
 * @returns {MapDocument} a function that throws has emitted nothing
 */
function mapBySource (source) {
  return () => {
    const map = compile('map', source)
    return (document, rows) => {
      const emitted = map(toJson(document))
      for (let i = 0; i < emitted.length; i += 2) rows.push(makeRow(pouchCollation, 0, emitted[i], emitted[i + 1]))
    }
  }
}

/**
 * A function of a temporary view. With a second parameter it is handed `emit` and runs where it
 * was written; otherwise it is taken as text.
 *
 * @param {any} map a function, or its source
 * @returns {MapDocument}
 */
function mapByFunction (map) {
  if (typeof map !== 'function' || map.length !== 2) return mapBySource(map.toString())
  return () => (document, rows) => {
    map(toObject(document), (/** @type {any} */ key, /** @type {any} */ value) => { rows.push(makeRow(pouchCollation, 0, key, value)) })
  }
}

/**
 * The map of a Mango index as pouchdb-find has it: fields at the top of documents count as null
 * where they are missing; with a path among the fields, a document that lacks one has no row.
 *
 * @param {{ fields: Record<string, any>, partial_filter_selector?: any }} definition
 * @returns {MapDocument}
 */
function mapByFields ({ fields, partial_filter_selector: partial }) {
  const names = Object.keys(fields)
  const isShallow = names.every(name => !name.includes('.'))
  const paths = names.map(name => isShallow ? [name] : parseField(name))
  const matches = partial ? lazySelector(partial) : () => true
  return () => (document, rows) => {
    const doc = toObject(document)
    if (!matches(doc)) return
    const values = paths.map(path => readPath(doc, path))
    if (!isShallow && values.includes(undefined)) return
    rows.push(makeRow(pouchCollation, 0, values.length === 1 ? values[0] : values, null))
  }
}

/**
 * One that makes no sense is an error of each document, and not of the design document.
 *
 * @param {Record<string, any>} selector
 */
function lazySelector (selector) {
  /** @type {import('./selector').Matcher | undefined} */
  let matches
  return (/** @type {any} */ doc) => {
    matches ??= compileSelector(massageSelector(selector))
    return matches(doc)
  }
}

/** The beginning of the signatures of these indexes: other faces have indexes of their own. */
const PREFIX = 'pouch:'

/** Whether a signature is of an index of PouchDB's. @param {string} signature */
function isEmbedded (signature) { return signature.startsWith(PREFIX) }

/**
 * The index of a view in a design document, whichever of PouchDB's plugins wrote it.
 *
 * @param {any} map source text, or a Mango index
 * @returns {import('../index/view-index').Definition | null} null for what is neither
 */
function definitionOf (map) {
  if (typeof map === 'string') return define('map', map, mapBySource(map))
  if (typeof map?.fields !== 'object' || map.fields === null) return null
  return define('fields', JSON.stringify([map.fields, map.partial_filter_selector]), mapByFields(map))
}

/** @param {string} kind @param {string} text @param {MapDocument} mapDocument */
function define (kind, text, mapDocument) {
  return definitionBy(PREFIX + md5(`${kind} ${text}`), mapDocument)
}

/** @param {string} signature @param {MapDocument} mapDocument @returns {import('../index/view-index').Definition} */
function definitionBy (signature, mapDocument) {
  return { signature, collations: [pouchCollation], reads: { conflicts: true }, map: mapAll(mapDocument) }
}

/** @param {string} text */
function md5 (text) { return crypto.createHash('md5').update(text).digest('hex') }

/** The signatures of indexes that an application keeps under a name begin with this. */
const SAVED = `${PREFIX}saved:`

/**
 * Whether a signature is of such an index, of this name where one is given.
 *
 * @param {string} signature
 * @param {string} [name]
 */
function isSaved (signature, name) { return signature.startsWith(name === undefined ? SAVED : `${SAVED}${md5(name)}:`) }

/**
 * @param {string} name
 * @param {any} map a function, or its source: another one has other rows
 * @returns {import('../index/view-index').Definition}
 */
function savedDefinition (name, map) { return definitionBy(`${SAVED}${md5(name)}:${md5(map.toString())}`, mapByFunction(map)) }

/**
 * @param {MapDocument} mapDocument
 * @returns {MapDocuments} an error leaves the document the rows it had emitted before, and is told
 */
function mapAll (mapDocument) {
  return (documents, { onError }) => {
    const map = mapDocument()
    return documents.map(document => {
      const rows = /** @type {Row[]} */ ([])
      try {
        map(document, rows)
      } catch (error) {
        onError?.(error, { doc: toObject(document) })
      }
      return rows
    })
  }
}

module.exports = { definitionOf, isEmbedded, isSaved, mapAll, mapByFunction, savedDefinition }
