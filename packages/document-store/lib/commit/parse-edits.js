'use strict'

const { CouchError, badRequest } = require('@potoroo/errors')
const { parseAhead } = require('../attachments/attachment-input')
const { mapInTurns } = require('../json/turn')
const { validatePartitionedId } = require('../store/partition')
const { parseDocument } = require('./validate')

/**
 * @import { DocumentInput } from '../..'
 * @import { Parsed } from './apply-edits'
 */

/** Documents that are parsed between two looks at the clock. */
const EVERY = 4

/**
 * Takes documents apart. A refusal stands in the place of its own document.
 *
 * @param {{ partitioned: boolean }} database
 * @param {Array<DocumentInput | Error>} docs
 * @param {boolean} newEdits
 * @param {boolean} keepLocal as in `parseDocument`
 * @returns {Parsed[] | Promise<Parsed[]>} a promise only where it takes long
 */
function parseEdits (database, docs, newEdits, keepLocal) {
  if (!Array.isArray(docs)) throw badRequest('`docs` must be an array.')
  const parse = () => mapInTurns(docs, (doc) => parseOrError(database, doc, newEdits, keepLocal), EVERY)
  return docs.some(hasAttachments) ? parseAttachmentsAhead(docs).then(parse) : parse()
}

/** @param {any} doc */
function hasAttachments (doc) { return doc?._attachments !== undefined }

/** @param {any[]} docs */
async function parseAttachmentsAhead (docs) {
  for (const doc of docs) {
    const ahead = hasAttachments(doc) ? parseAhead(doc._attachments) : undefined
    if (ahead instanceof Promise) await ahead
  }
}

/** @param {{ partitioned: boolean }} database @param {DocumentInput | Error} doc @param {boolean} newEdits @param {boolean} keepLocal @returns {Parsed} */
function parseOrError ({ partitioned }, doc, newEdits, keepLocal) {
  if (doc instanceof Error) {
    if (doc instanceof CouchError) return doc
    throw doc
  }
  try {
    const edit = parseDocument(doc, newEdits, keepLocal)
    if (partitioned && !edit.local) validatePartitionedId(edit.id)
    return edit
  } catch (error) {
    if (!(error instanceof CouchError)) throw error
    if (typeof doc?._id === 'string') error.id = doc._id
    return error
  }
}

module.exports = { parseEdits }
