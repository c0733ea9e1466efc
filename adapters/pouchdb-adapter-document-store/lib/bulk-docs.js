'use strict'

const errors = require('pouchdb-errors')
const { invalidIdError } = require('pouchdb-utils')

const { toPouchError } = require('./pouch-error')
const { toStoreDocuments, isLocal, isNotDocument, isRevision } = require('./incoming-document')

const { createError } = errors

/**
 * @typedef {import('./adapter').Adapter} Adapter
 * @typedef {import('@potoroo/document-store').DocumentStore} Store
 */

/** Errors that stand in a document's own place in the answer; any other fails the request. */
const ofDocument = new Set(['CONFLICT', 'NOT_ALL', 'FORBIDDEN', 'UNAUTHORIZED', 'MISSING', 'DELETED'])

/**
 * `db.bulkDocs`: writes documents in one commit.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {any} request an array of documents, or `{ docs, new_edits?, all_or_nothing? }`
 * @param {Record<string, any>} [options] `new_edits`; `all_or_nothing`, with which nothing is written
 *   where one is refused: those that were not have an error with status 417; and `was_delete` from pouchdb-core's `remove`
 * @returns {Promise<any[]>} aligned with the documents; only errors with `new_edits: false`
 * @see https://pouchdb.com/api.html#batch_create
 */
async function bulkDocs (adapter, request, options) {
  const docs = Array.isArray(request) ? request : request?.docs
  if (!Array.isArray(docs)) throw createError(errors.MISSING_BULK_DOCS)
  const newEdits = options?.new_edits ?? request.new_edits ?? true
  const input = toStoreDocuments(docs)
  if (options?.was_delete) await checkDeletions(adapter.store, input)
  const allOrNothing = Boolean(options?.all_or_nothing ?? request.all_or_nothing)
  const results = await write(adapter, input, { newEdits: Boolean(newEdits), allOrNothing, strict: true })
  return newEdits ? results : results.filter((result) => result.error)
}

/**
 * @param {Adapter} adapter
 * @param {Array<Record<string, any>>} input
 * @param {import('@potoroo/document-store').WriteOptions} options
 * @returns {Promise<any[]>}
 */
async function write (adapter, input, options) {
  if (input.length === 0) return []
  /** @type {any[]} */
  let results
  try {
    results = await adapter.write(input, options)
  } catch (error) {
    throw toPouchError(error)
  }
  for (let i = 0; i < results.length; i++) {
    if (!results[i].ok) results[i] = documentError(results[i], input[i]._id)
  }
  return results
}

/** @param {any} error @param {unknown} id */
function documentError (error, id) {
  const translated = isLocal(id) ? toLocalError(error) : toPouchError(error)
  if (!ofDocument.has(error.code) && translated.status !== 409) throw translated
  translated.id = id
  return translated
}

/**
 * A deletion that `remove` asks for needs a document; a deletion that is written does not.
 *
 * @param {Store} store
 * @param {Array<Record<string, any>>} docs
 */
async function checkDeletions (store, docs) {
  const requests = docs.map(({ _id: id }) => ({ id }))
  const found = /** @type {Array<{ error?: any }>} */ (await store.bulkGet(requests))
  const at = found.findIndex(({ error }) => error !== undefined && error.code !== 'DELETED')
  if (at === -1) return
  const { error } = found[at]
  if (error.status !== 404 && error.code !== 'INVALID_ID') throw toPouchError(error)
  throw Object.assign(createError(errors.MISSING_DOC, 'deleted'), { id: docs[at]._id })
}

/**
 * `db.post`: one document; its id is made up where it has none.
 *
 * @param {Adapter} adapter
 * @param {any} doc
 * @param {Record<string, any>} [options]
 */
async function post (adapter, doc, options) {
  if (isNotDocument(doc)) throw createError(errors.NOT_AN_OBJECT)
  try {
    const results = await bulkDocs(adapter, [doc], options)
    const [result] = results
    if (result?.error) throw result
    return result ?? results
  } catch (error) {
    error.docId = doc._id
    throw error
  }
}

/**
 * `db.put`: one document with its id, or a local one.
 *
 * @param {Adapter} adapter
 * @param {any} doc
 * @param {Record<string, any>} [options]
 */
async function put (adapter, doc, options) {
  if (isNotDocument(doc)) throw createError(errors.NOT_AN_OBJECT)
  invalidIdError(doc._id)
  if (!isLocal(doc._id)) return post(adapter, doc, options)
  if (doc._rev !== undefined && !isRevision(doc._rev)) throw createError(errors.INVALID_REV)
  return doc._deleted ? removeLocal(adapter, doc) : putLocal(adapter, doc)
}

/** @param {Adapter} adapter @param {any} doc */
async function putLocal ({ store }, doc) {
  try {
    return await store.putLocal(doc, { keepLocal: true })
  } catch (error) {
    throw toLocalError(error)
  }
}

/** @param {Adapter} adapter @param {any} doc */
async function removeLocal ({ store }, doc) {
  try {
    return await store.removeLocal(doc)
  } catch (error) {
    throw toLocalError(error)
  }
}

/**
 * A local document's revision that cannot be one is only another than the stored one, to PouchDB.
 *
 * @param {any} error
 */
function toLocalError (error) {
  return error.code === 'INVALID_REV' ? createError(errors.REV_CONFLICT) : toPouchError(error)
}

module.exports = { bulkDocs, put, post, putLocal, removeLocal }
