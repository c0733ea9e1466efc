'use strict'

const crypto = require('node:crypto')
const { isObject, namesOf, validateDocument, validateId } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { revision } = require('./query')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** @param {any} body @returns {Record<string, any>} the same body, if it is a JSON object */
function requireObject (body) {
  if (isObject(body)) return body
  throw badRequest('Request body must be a JSON object')
}

/**
 * The revision that a request names apart from its body: `rev` in the query or `If-Match`.
 * @param {PotorooRequest} req
 * @returns {string | undefined}
 * @throws bad_request where both are there and differ
 */
function revisionOf (req) {
  const rev = req.args.rev === undefined ? undefined : revision(req.args.rev)
  const header = req.headers['if-match']
  if (header === undefined) return rev
  const etag = revision(header.trim().replace(/^"(.*)"$/, '$1'))
  if (rev === undefined || rev === etag) return etag
  throw badRequest('Document rev and etag have different values')
}

/**
 * The document of a PUT: its id is the path's, its revision the body's, the query's or
 * If-Match's, which must agree.
 *
 * @param {PotorooRequest} req
 * @param {any} doc as it came
 * @param {boolean} newEdits
 * @returns {any} the same document, with its id and revision
 */
function prepareDocument (req, doc, newEdits) {
  if (!isObject(doc)) throw createError('NOT_AN_OBJECT')
  if (doc._id !== undefined) validateId(doc._id)
  requireAttachmentNames(doc)
  const own = ownRevision(doc)
  const { rev } = req.args
  if (own !== undefined && rev !== undefined && own !== rev) {
    throw badRequest('Document rev from request body and query string have different values')
  }
  const asked = revisionOf(req)
  if (own !== undefined && asked !== undefined && own !== asked) {
    throw badRequest('Document rev and etag have different values')
  }
  doc._id = req.params.doc
  if (own === undefined && asked !== undefined) doc._rev = asked
  if (!newEdits) requireRevision(doc)
  return doc
}

/** @param {any} doc @returns {string | undefined} what `_revisions` or `_rev` says the document's revision is */
function ownRevision (doc) {
  const path = doc._revisions
  if (isObject(path) && Number.isInteger(path.start) && typeof path.ids?.[0] === 'string') return `${path.start}-${path.ids[0]}`
  return doc._rev === undefined ? undefined : revision(doc._rev)
}

/** With `new_edits: false` nobody but the document says which revision it is. @param {any} doc */
function requireRevision (doc) {
  if (doc._rev !== undefined || doc._revisions !== undefined) return
  // Other faults are said first.
  validateDocument(doc)
  throw badRequest('When `new_edits: false`, the document needs `_rev` or `_revisions` specified')
}

/** @param {any} doc */
function requireAttachmentNames (doc) {
  const attachments = doc._attachments
  if (typeof attachments !== 'object' || attachments === null) return
  for (const name of namesOf(attachments)) requireAttachmentName(name)
}

/** @param {string} name @throws bad_request where it starts with an underscore */
function requireAttachmentName (name) {
  if (!name.startsWith('_')) return
  throw badRequest(`Attachment name '${name}' starts with prohibited character '_'`)
}

/** A document of `_bulk_docs`. @param {any} doc @param {boolean} newEdits */
function prepareOneOfMany (doc, newEdits) {
  if (!isObject(doc)) throw createError('NOT_AN_OBJECT')
  if (doc._attachments !== undefined) requireAttachmentNames(doc)
  if (newEdits) return
  requireRevision(doc)
  if (doc._id === undefined) doc._id = newId()
}

/** @returns {string} 32 hex characters */
function newId () { return crypto.randomUUID().replaceAll('-', '') }

module.exports = { isObject, requireObject, revisionOf, prepareDocument, prepareOneOfMany, requireAttachmentNames, requireAttachmentName, newId }
