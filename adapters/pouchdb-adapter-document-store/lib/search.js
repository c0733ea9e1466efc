'use strict'

const { isObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { unknownMember } = require('@potoroo/errors/known-options')
const { Mango } = require('@potoroo/indexes')
const { adapterFun } = require('pouchdb-utils')
const { answer } = require('./call-back')
const { toQueryError } = require('./pouch-error')

const mango = new Mango()

/** Members of a find that a request may have, beside `query`, `fields` and `vector`. */
const OF_A_FIND = ['bookmark', 'limit', 'selector', 'skip', 'sort', 'use_index']

const OF_A_VECTOR = ['field', 'near', 'k', 'dimensions', 'metric']

/**
 * Finds documents by text, by likeness, or by both.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {any} request see index.d.ts
 * @returns {Promise<{ docs: any[], bookmark: string, warning?: string }>} the best ones first
 */
async function search ({ store }, request) {
  try {
    const body = bodyOf(request)
    const { fields, vector } = request
    if (fields !== undefined) body.use_index = (await mango.create(store, textIndex(fields))).id
    if (vector?.dimensions !== undefined) await mango.create(store, vectorIndex(vector))
    if (request.query !== undefined && (fields === undefined || Object.keys(body.selector).length > 1)) await requireText(store, body, fields)
    return await mango.find(store, body)
  } catch (error) {
    throw toQueryError(withAdvice(error, request))
  }
}

/** Says how the missing index of vectors is made. @param {any} error @param {any} request */
function withAdvice (error, request) {
  if (error.error !== 'no_usable_index' || request.vector === undefined) return error
  return createError('BAD_REQUEST', { error: error.error, reason: `${error.reason.slice(0, -1)}: give \`dimensions\`, and it is made`, cause: error })
}

/** @param {any} request @returns {any} of a find */
function bodyOf (request) {
  if (!isObject(request)) throw badRequest(`search takes an object: { query: ${typeof request === 'string' ? JSON.stringify(request) : "'fox'"}, fields: ['title'] }`)
  checkMembers(request, ['query', 'fields', 'vector', ...OF_A_FIND], 'search')
  const { query, fields, vector, selector = {}, ...rest } = request
  if (query !== undefined && typeof query !== 'string') throw badRequest('`query` of search must be text')
  if (!isObject(selector)) throw badRequest('`selector` of search must be an object')
  if (vector !== undefined && !isObject(vector)) throw badRequest("`vector` of search must be an object: { field: 'embedding', near: [0.1, 0.9], dimensions: 2 }")
  if (vector !== undefined) checkMembers(vector, OF_A_VECTOR, 'vector of search')
  if (query === undefined && vector === undefined) throw badRequest('search wants a `query`, a `vector`, or both')
  const { dimensions, metric, ...near } = vector ?? {}
  return { ...rest, selector: query === undefined ? selector : { ...selector, $text: query }, ...vector && { vector: near } }
}

/** @param {object} given @param {string[]} known @param {string} of */
function checkMembers (given, known, of) {
  const strange = unknownMember(given, known, of)
  if (strange !== undefined) throw badRequest(strange)
}

/**
 * Refuses what would be answered without the query, as a find does it: no index has the text, or the selector names what none has.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {any} body
 * @param {unknown} fields
 */
async function requireText (store, { vector, ...body }, fields) {
  const { index } = await mango.explain(store, body)
  if (index.type === 'text' || (fields === undefined && index.type === 'nouveau')) return
  throw badRequest(fields === undefined ? 'No text index answers this search: give `fields`, and one is made' : 'The selector of a search may only name its fields, with their types')
}

/** An index of these fields and no others. @param {any} fields */
function textIndex (fields) {
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every(field => typeof field === 'string' || isObject(field))) throw badRequest("`fields` of search must be names, or names with types: ['title', { name: 'year', type: 'number' }]")
  return { type: 'text', index: { fields: fields.map(name => typeof name === 'string' ? { name, type: 'string' } : name) } }
}

/** @param {{ field: string, dimensions: number, metric?: string }} vector */
function vectorIndex ({ field, dimensions, metric = 'cosine' }) {
  return { type: 'vector', index: { fields: [{ [field]: { type: 'vector', dimensions, metric } }] } }
}

/**
 * pouchdb-core has no such method.
 *
 * @param {any} db the PouchDB instance
 * @param {() => import('./adapter').Adapter} adapter once it is open
 */
function installSearch (db, adapter) {
  db.search = adapterFun('search', (/** @type {any[]} */ ...args) => {
    const callback = args.pop()
    answer(search(adapter(), args[0]), callback)
  })
}

module.exports = { installSearch }
