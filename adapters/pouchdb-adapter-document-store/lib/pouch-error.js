'use strict'

const errors = require('pouchdb-errors')

/** Codes of `@potoroo/errors` that PouchDB has an error of its own for. @type {Record<string, import('pouchdb-errors').PouchError>} */
const named = {
  MISSING: errors.MISSING_DOC,
  DELETED: errors.MISSING_DOC,
  MISSING_ATTACHMENT: errors.MISSING_DOC,
  CONFLICT: errors.REV_CONFLICT,
  MISSING_STUB: errors.MISSING_STUB,
  MISSING_ID: errors.MISSING_ID,
  INVALID_ID: errors.INVALID_ID,
  ILLEGAL_DOCID: errors.RESERVED_ID,
  NOT_AN_OBJECT: errors.NOT_AN_OBJECT,
  INVALID_REV: errors.INVALID_REV,
  BAD_ARGUMENT: errors.BAD_ARG,
  BAD_REQUEST: errors.BAD_REQUEST,
  QUERY_PARSE_ERROR: errors.QUERY_PARSE_ERROR,
  DOC_VALIDATION: errors.DOC_VALIDATION,
  NO_DATABASE: errors.DB_MISSING,
  DATABASE_EXISTS: errors.FILE_EXISTS,
  UNAUTHORIZED: errors.UNAUTHORIZED,
  FORBIDDEN: errors.FORBIDDEN,
  CLOSED: errors.NOT_OPEN
}

/** These say nothing more than their message in PouchDB, so they have no `reason` there. */
const silent = new Set(['CONFLICT', 'MISSING_ID', 'INVALID_ID', 'ILLEGAL_DOCID', 'NOT_AN_OBJECT', 'INVALID_REV'])

/**
 * The error of the document store in PouchDB's form: `{ status, name, message, error: true,
 * reason?, docId?, conflicts? }`. Anything that is not a CouchError is left as it is.
 *
 * @param {any} error a CouchError, or anything else that was thrown
 * @param {string} [docId] the document that was asked for
 * @returns {any}
 * @see https://pouchdb.com/errors.html
 */
function toPouchError (error, docId) {
  if (error?.name !== 'CouchError') return error
  const form = named[error.code] ?? generic(error)
  const reason = error.code === 'MISSING_ATTACHMENT' ? 'missing' : error.reason
  const translated = errors.createError(form, silent.has(error.code) ? undefined : reason)
  // The named errors bring the stack of the module that made them.
  translated.stack = error.stack
  if (error.code === 'DOC_VALIDATION') translated.message = validationMessage(error.reason)
  if (docId !== undefined) translated.docId = docId
  if (error.conflicts !== undefined) Object.assign(translated, { conflicts: error.conflicts })
  return translated
}

/**
 * PouchDB names the member after a colon, CouchDB in brackets or not at all.
 *
 * @param {string} reason
 */
function validationMessage (reason) {
  const member = /[:`(]\s*(_[^\s`)]*)/.exec(reason)?.[1]
  return member === undefined ? reason : `${errors.DOC_VALIDATION.message}: ${member}`
}

/**
 * The same of an error of a query: where it is not about a document, its words are its message, as
 * in pouchdb-mapreduce.
 *
 * @param {any} error
 */
function toQueryError (error) {
  if (error?.name !== 'CouchError' || error.id !== undefined || error.code === 'CLOSED') return toPouchError(error, error?.id)
  return Object.assign(new Error(error.reason), generic(error), { stack: error.stack })
}

/**
 * @param {{ status: number, error: string, reason: string }} error
 * @returns {{ status: number, name: string, message: string, error: true }}
 */
function generic ({ status, error: name, reason: message }) {
  return { status, name, message, error: true }
}

module.exports = { toPouchError, toQueryError }
