'use strict'

const errors = require('pouchdb-errors')
const { guardedConsole, invalidIdError } = require('pouchdb-utils')

const { createError } = errors

/** Top-level members with an underscore that a document may come in with. */
const reserved = new Set([
  '_id', '_rev', '_attachments', '_deleted', '_revisions', '_revs_info', '_conflicts',
  '_deleted_conflicts', '_local_seq', '_access', '_replication_id', '_replication_state',
  '_replication_state_time', '_replication_state_reason', '_replication_stats'
])

/** Members that PouchDB lets through and that CouchDB refuses, Sync Gateway's for two: dropped. */
const dropped = new Set(['_rev_tree', '_removed', '_cv'])

const attachmentMembers = ['data', 'digest', 'content_type', 'length', 'revpos', 'stub']

/** Bytes up to which a Buffer is copied. */
const COPIED = 1024 * 1024

const revision = /^\d+-[^-]*$/

/**
 * Checks documents as pouchdb-core does, before anything is written: PouchDB refuses a whole
 * request for one bad document, where CouchDB refuses that document.
 *
 * @param {any[]} docs as the application gave them; they are not changed
 * @returns {Record<string, any>[]} documents for the document store
 * @throws PouchDB's error for the first bad one
 */
function toStoreDocuments (docs) {
  for (const doc of docs) checkShape(doc)
  return docs.map(toStoreDocument)
}

/** @param {any} doc */
function checkShape (doc) {
  if (isNotDocument(doc)) throw createError(errors.NOT_AN_OBJECT)
  if (doc._rev !== undefined && !isRevision(doc._rev)) throw createError(errors.INVALID_REV)
  if (doc._attachments) Object.keys(doc._attachments).forEach(checkAttachmentName, doc)
}

/** @this {any} a document @param {string} name */
function checkAttachmentName (name) {
  if (name.startsWith('_')) {
    throw createError(errors.BAD_REQUEST, `${name} is not a valid attachment name, attachment names cannot start with '_'`)
  }
  if (!this._attachments[name].content_type) {
    guardedConsole('warn', 'Attachment', name, 'on document', this._id, 'is missing content_type')
  }
}

/** @param {any} doc */
function toStoreDocument (doc) {
  if (doc._id) invalidIdError(doc._id)
  // PouchDB keeps a local document as it is.
  if (isLocal(doc._id)) return doc
  let copy
  for (const key in doc) {
    if (key.charCodeAt(0) !== 95 || reserved.has(key)) continue
    if (!dropped.has(key) && doc[key] !== undefined) throw validationError(key)
    copy ??= { ...doc }
    delete copy[key]
  }
  if (doc._deleted !== undefined && typeof doc._deleted !== 'boolean') copy = { ...copy ?? doc, _deleted: Boolean(doc._deleted) }
  if (doc._attachments === undefined) return copy ?? doc
  copy ??= { ...doc }
  // A deletion says nothing of attachments in PouchDB.
  if (doc._deleted || !doc._attachments) delete copy._attachments
  else copy._attachments = toStoreAttachments(doc._attachments)
  return copy
}

/** @param {string} key */
function validationError (key) {
  const error = createError(errors.DOC_VALIDATION, key)
  error.message = `${errors.DOC_VALIDATION.message}: ${key}`
  return error
}

/** @param {Record<string, any>} attachments */
function toStoreAttachments (attachments) {
  /** @type {Record<string, Record<string, any>>} */
  const copies = {}
  for (const [name, attachment] of Object.entries(attachments)) {
    /** @type {Record<string, any>} */
    const copy = copies[name] = {}
    for (const member of attachmentMembers) {
      if (attachment[member] !== undefined) copy[member] = attachment[member]
    }
    if (!copy.stub) takeContent(copy)
  }
  return copies
}

/**
 * Copies new content, without what the document said of the content before it.
 *
 * @param {Record<string, any>} copy
 */
function takeContent (copy) {
  const { data } = copy
  delete copy.length
  delete copy.digest
  if (typeof data === 'string') checkBase64(data)
  else copy.data = ownContent(data)
}

/**
 * The application may go on writing to its Buffer while it is being stored, unless it is large.
 *
 * @param {any} data
 */
function ownContent (data) {
  return data instanceof Uint8Array && data.length <= COPIED ? Buffer.from(data) : data
}

/**
 * Base64 has to be as Node.js would write it: what it cannot decode it skips.
 *
 * @param {string} data
 */
function checkBase64 (data) {
  const last = data.slice(-4)
  const valid = data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data) && Buffer.from(last, 'base64').toString('base64') === last
  if (!valid) throw createError(errors.BAD_ARG, 'Attachment is not a valid base64 string')
}

/** @param {unknown} doc */
function isNotDocument (doc) {
  return doc === null || typeof doc !== 'object' || Array.isArray(doc)
}

/** @param {unknown} id @returns {id is string} */
function isLocal (id) {
  return typeof id === 'string' && id.startsWith('_local/')
}

/** @param {unknown} rev @returns {rev is string} */
function isRevision (rev) {
  return typeof rev === 'string' && revision.test(rev)
}

module.exports = { toStoreDocuments, ownContent, isLocal, isNotDocument, isRevision }
