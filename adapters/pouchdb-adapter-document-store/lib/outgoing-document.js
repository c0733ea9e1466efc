'use strict'

const { toObject } = require('@potoroo/document-store')

const { typedContent } = require('./content')

const binary = { attachmentData: typedContent }
const base64 = { attachmentData: (/** @type {Buffer} */ data) => data.toString('base64') }

/**
 * A stored document as PouchDB gives it to the application.
 *
 * @param {import('@potoroo/document-store').Document} document
 * @param {{ binary?: boolean }} [options] `binary` for Buffers instead of base64
 * @returns {Record<string, any>}
 */
function toPouchDocument (document, options) {
  const doc = toObject(document, options?.binary ? binary : base64)
  // To PouchDB a deletion is a revision like others.
  if (doc._revs_info) doc._revs_info = doc._revs_info.map(available)
  return doc
}

/** @template T @param {{ rev: string, status: string }} revision */
function available ({ rev, status }) {
  return { rev, status: status === 'deleted' ? 'available' : status }
}

/**
 * PouchDB's options for reading a document in the document store's names.
 *
 * @param {Record<string, any>} options
 * @returns {import('@potoroo/document-store').ReadOptions}
 */
function readOptions (options) {
  return {
    revs: Boolean(options.revs),
    revsInfo: Boolean(options.revs_info),
    conflicts: Boolean(options.conflicts),
    attachments: Boolean(options.attachments),
    meta: Boolean(options.meta)
  }
}

module.exports = { toPouchDocument, readOptions }
