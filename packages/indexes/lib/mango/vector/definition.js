'use strict'

const { couchCollation } = require('@potoroo/collation')
const { stringifyAnyDepth, toObjectInTurns } = require('@potoroo/document-store')
const { unknownMember } = require('@potoroo/errors/known-options')
const { makeRow } = require('../../rows/row')
const { signatureOf } = require('../../index/text-index')
const { assertKnown } = require('../request/find-request')
const { mangoError } = require('../selector/mango-error')
const { isObject } = require('../selector/normalize-selector')
const { parsePath, readPath } = require('../selector/path')

/**
 * Vector indexes, as design documents have them: `vectors: { name: { field, dimensions, metric } }`. An index has a row for each document
 * whose field is a list of as many numbers: its value is the vector, as single precision numbers in base 64.
 *
 * @typedef {{ field: string, dimensions: number, metric: 'cosine' | 'dot' | 'l2' }} VectorSpec
 */

const METRICS = ['cosine', 'dot', 'l2']
const MOST_DIMENSIONS = 8192

/** Longer ones are cut off in messages. */
const SHOWN = 200

/** CouchDB has no such indexes, whose words these were: JSON is shown as it came. @param {any} index @param {string} why */
function invalid (index, why) {
  const text = index === undefined ? 'nothing' : stringifyAnyDepth(index)
  return mangoError('invalid_index', `${why}, not: ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`)
}

/**
 * Reads the definition of a request: `{ fields: [{ name: { type: 'vector', dimensions, metric } }] }`, of one field.
 *
 * @param {any} index
 * @returns {VectorSpec}
 * @throws invalid_index, invalid_field_name
 */
function parseVectorIndex (index) {
  const [given] = isObject(index) && Array.isArray(index.fields) && index.fields.length === 1 ? index.fields : [undefined]
  const [[field, spec] = ['', undefined]] = isObject(given) && Object.keys(given).length === 1 ? Object.entries(given) : []
  if (!isObject(spec) || spec.type !== 'vector') throw invalid(index, 'Vector indexes must be of the form {"fields": [{"name": {"type": "vector", "dimensions": n, "metric": "cosine|dot|l2"}}]}')
  assertKnown(index, ['fields'])
  const strange = unknownMember(spec, ['type', 'dimensions', 'metric'], 'A vector index')
  if (strange !== undefined) throw mangoError('invalid_key', strange)
  return checkSpec({ field, dimensions: spec.dimensions, metric: spec.metric ?? 'cosine' })
}

/** @param {any} spec @returns {VectorSpec} @throws invalid_index, invalid_field_name */
function checkSpec (spec) {
  if (!isObject(spec) || typeof spec.field !== 'string' || spec.field === '') throw invalid(spec, 'The field of a vector index must be a name')
  parsePath(spec.field)
  const { field, dimensions, metric } = spec
  if (!Number.isSafeInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) throw invalid(dimensions, `The dimensions of a vector must be from 1 to ${MOST_DIMENSIONS}`)
  if (!METRICS.includes(metric)) throw invalid(metric, 'The metric of a vector must be cosine, dot or l2')
  return { field, dimensions, metric }
}

/** @param {VectorSpec} spec @returns {(doc: any) => Float32Array | null} reads the vector of a document; null where it has none */
function vectorReader ({ field, dimensions }) {
  const path = parsePath(field)
  return doc => {
    const value = readPath(doc, path)
    return isVector(value, dimensions) ? Float32Array.from(value) : null
  }
}

/** Numbers that are none in single precision are refused. @param {any} value @param {number} dimensions @returns {boolean} */
function isVector (value, dimensions) {
  return Array.isArray(value) && value.length === dimensions && value.every(each => typeof each === 'number' && Number.isFinite(Math.fround(each)))
}

/** Whether a vector has a direction, in single precision. @param {number[]} vector */
function hasDirection (vector) { return vector.some(each => Math.fround(each) !== 0) }

/** @param {Float32Array} vector */
function encodeVector (vector) { return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') }

/** @param {string} text */
function decodeVector (text) {
  const bytes = Buffer.from(text, 'base64')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

/**
 * How an index is built.
 *
 * @param {string} design id of its document
 * @param {VectorSpec} spec
 * @returns {import('../../index/view-index').Definition}
 */
function vectorDefinition (design, spec) {
  const vectorOf = vectorReader(spec)
  return {
    signature: signatureOf('search', ['vector', spec]),
    collations: [couchCollation],
    reads: {},
    design,
    map: documents => Promise.all(documents.map(async document => {
      const vector = vectorOf(await toObjectInTurns(document))
      return vector === null ? [] : [makeRow(couchCollation, 0, null, encodeVector(vector))]
    }))
  }
}

module.exports = { checkSpec, decodeVector, hasDirection, isVector, parseVectorIndex, vectorDefinition, vectorReader }
