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
 * @typedef {{ doc: Record<string, any>, characters: number } | { result: WriteResult }} Prepared what is to be written, or why nothing is
 */

/** Documents that are written together, and characters of their bodies. */
const MOST_DOCUMENTS = 100
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Codes of the absence of a document. */
const ABSENT = new Set(['MISSING', 'DELETED'])

/**
 * Makes documents what they were at a moment, as new revisions. One that was not there then is deleted, but not by a member of a database
 * with access by document: it may have been another's then.
 *
 * @param {Writable} database
 * @param {Moment} at
 * @param {string[]} ids
 * @returns {AsyncGenerator<WriteResult[]>} in parts, in the order of `ids`: what nobody asks for any more is not restored
 */
async function * restore (database, at, ids) {
  const turn = new Turn()
  let part = []
  let characters = 0
  for (const [i, id] of ids.entries()) {
    const prepared = await prepare(database, at, id)
    part.push(prepared)
    if ('doc' in prepared) characters += prepared.characters
    if (turn.isLong) await turn.end()
    if (i + 1 < ids.length && part.length < MOST_DOCUMENTS && characters < MOST_CHARACTERS) continue
    yield await write(database, part)
    part = []
    characters = 0
  }
}

/** @param {Writable} database @param {Prepared[]} part */
async function write (database, part) {
  const written = await database.write(part.filter((each) => 'doc' in each).map((each) => each.doc))
  let next = 0
  return part.map((each) => 'doc' in each ? written[next++] : each.result)
}

/**
 * @param {Writable} database
 * @param {Moment} at
 * @param {string} id
 * @returns {Promise<Prepared>}
 */
async function prepare (database, at, id) {
  try {
    const now = await stateOf(() => database.get(id))
    const then = await stateOf(() => database.get(id, { at }))
    if (then.document !== null && then.rev !== now.rev) return { doc: await editOf(database, then.document, now.rev), characters: then.document.body.length }
    if (then.document === null && now.document !== null && database.isOfMember) return { result: createError('MISSING', { id }) }
    if (then.document === null && now.document !== null) return { doc: { _id: id, _rev: now.rev, _deleted: true }, characters: 0 }
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
