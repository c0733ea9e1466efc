'use strict'

const { badRequest } = require('@potoroo/errors')
const { nearestOf } = require('@potoroo/errors/known-options')
const { Mango } = require('@potoroo/indexes')
const { adapterFun } = require('pouchdb-utils')
const { answer } = require('./call-back')
const { toQueryError } = require('./pouch-error')

const mango = new Mango()

/** Members of a find that a request may have, beside `query`, `fields` and `vector`. */
const OF_A_FIND = ['bookmark', 'limit', 'selector', 'skip', 'sort', 'use_index']

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
    if (typeof vector?.dimensions === 'number') await mango.create(store, vectorIndex(vector))
    if (request.query !== undefined && Object.keys(body.selector).length > 1) await requireText(store, body)
    return await mango.find(store, body)
  } catch (error) {
    throw toQueryError(error)
  }
}

/** @param {any} request @returns {any} of a find */
function bodyOf (request) {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) throw badRequest(`search takes an object: { query: ${typeof request === 'string' ? JSON.stringify(request) : "'fox'"}, fields: ['title'] }`)
  checkMembers(request)
  const { query, fields, vector, selector = {}, ...rest } = request
  if (query === undefined && vector === undefined) throw badRequest('search wants a `query`, a `vector`, or both')
  const { dimensions, metric, ...near } = vector ?? {}
  return { ...rest, selector: query === undefined ? selector : { ...selector, $text: query }, ...vector && { vector: near } }
}

/** @param {object} request */
function checkMembers (request) {
  const known = ['query', 'fields', 'vector', ...OF_A_FIND]
  const strange = Object.keys(request).find(name => !known.includes(name))
  if (strange === undefined) return
  const nearest = nearestOf(strange, known)
  throw badRequest(`search has no \`${strange}\`${nearest === undefined ? '' : `; do you mean \`${nearest}\`?`}`)
}

/**
 * Refuses a selector that would be answered without the query, as a find does it: it names what no text index has.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {any} body
 */
async function requireText (store, body) {
  if (body.vector !== undefined) return
  const { index } = await mango.explain(store, body)
  if (index.type !== 'text') throw badRequest('The selector of a search may only name its fields, with their types')
}

/** An index of these fields and no others. @param {any} fields */
function textIndex (fields) {
  if (!Array.isArray(fields) || fields.length === 0) throw badRequest('`fields` of search must be an array of names')
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
