'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { namesOf } = require('../json/carried-text')
const { Turn } = require('../json/turn')
const { toObjectInTurns } = require('../json/document-json')

/**
 * @import { Document, DocumentStore, Moment, WriteResult } from '../..'
 *
 * @typedef {Pick<DocumentStore, 'isOfMember' | 'get' | 'getAttachment' | 'write'>} Writable a database as somebody may use it
 * @typedef {{ document: Document | null, rev: string | null }} State null: it is not there
 */

/** Documents that are written together. */
const PART = 100

/** Codes of the absence of a document. */
const ABSENT = new Set(['MISSING', 'DELETED'])

/**
 * Makes documents what they were at a moment, as new revisions. One that was not there then is deleted, but not by a member of a database
 * with access by document: it may have been another's then.
 *
 * @param {Writable} database
 * @param {Moment} at
 * @param {string[]} ids
 * @returns {Promise<WriteResult[]>} aligned with `ids`
 */
async function restore (database, at, ids) {
  /** @type {WriteResult[]} */
  const results = []
  const turn = new Turn()
  for (let from = 0; from < ids.length; from += PART) {
    const prepared = []
    for (const id of ids.slice(from, from + PART)) {
      prepared.push(await prepare(database, at, id))
      if (turn.isLong) await turn.end()
    }
    const written = await database.write(prepared.filter((each) => 'doc' in each).map((each) => each.doc))
    let next = 0
    for (const each of prepared) results.push('doc' in each ? written[next++] : each.result)
  }
  return results
}

/**
 * @param {Writable} database
 * @param {Moment} at
 * @param {string} id
 * @returns {Promise<{ doc: Record<string, any> } | { result: WriteResult }>} what is to be written, or why nothing is
 */
async function prepare (database, at, id) {
  try {
    const now = await stateOf(() => database.get(id))
    const then = await stateOf(() => database.get(id, { at }))
    if (then.document !== null && then.rev !== now.rev) return { doc: await editOf(database, then.document, now.rev) }
    if (then.document === null && now.document !== null && database.isOfMember) return { result: createError('MISSING', { id }) }
    if (then.document === null && now.document !== null) return { doc: { _id: id, _rev: now.rev, _deleted: true } }
    return { result: now.rev === null ? createError('MISSING', { id }) : { ok: true, id, rev: now.rev } }
  } catch (error) {
    // One that names its document concerns it alone.
    if (!(error instanceof CouchError) || error.id !== id) throw error
    return { result: error }
  }
}

/** @param {() => Promise<Document>} read @returns {Promise<State>} */
async function stateOf (read) {
  try {
    const document = await read()
    return { document, rev: document.rev }
  } catch (error) {
    if (!ABSENT.has(error.code)) throw error
    return { document: null, rev: error.rev ?? null }
  }
}

/**
 * @param {Writable} database
 * @param {Document} document
 * @param {string | null} rev the present one
 */
async function editOf (database, document, rev) {
  const doc = await toObjectInTurns(document, { exact: true })
  if (rev === null) delete doc._rev
  else doc._rev = rev
  // A stub would be an attachment of the present revision.
  for (const name of namesOf(doc._attachments ?? {})) doc._attachments[name] = await contentOf(database, document, name)
  return doc
}

/** @param {Writable} database @param {Document} document @param {string} name */
async function contentOf (database, document, name) {
  const { contentType, length, encoding, encodedLength, streamStored } = await database.getAttachment(document.id, name, { document })
  return { content_type: contentType, data: streamStored(), length, encoding, encoded_length: encodedLength }
}

module.exports = { restore }
