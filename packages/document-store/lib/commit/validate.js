'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { newId } = require('./new-id')
const { parseRevision, isHash } = require('../revision-tree/revision')
const { parseAttachments } = require('../attachments/attachment-input')
const { BareText } = require('../json/bare-text')
const { carriedText } = require('../json/carried-text')
const { stringifyAnyDepth } = require('../json/deep-json')
const { countLeading, countTrailing, isBodyMember, withoutOuter } = require('../json/members')
const { exactMember, isExact, unmark } = require('../json/exact-json')
const { isStorable, isTooLong, isWellFormed } = require('./storable')

/**
 * @import { DocumentInput } from '../..'
 */

const ZERO = 48

const LOCAL = '_local/'
const DESIGN = '_design/'

/**
 * A document as it came in, taken apart.
 *
 * @typedef {object} Edit
 * @property {string} id without `_local/` where local
 * @property {boolean} fresh the id was made here, so nothing can be stored under it
 * @property {boolean} local
 * @property {string | null} parent the revision that it edits, with newEdits
 * @property {{ start: number, ids: string[] } | null} path its history, newest first, without newEdits
 * @property {boolean} deleted
 * @property {string} body JSON text without underscore members
 * @property {string} [hash] of the edit as one of `parent`, without attachments, where it was worked out before: see prepared.js
 * @property {Buffer} [term] of a long body: see `editHash`
 * @property {import('../json/bare-text').BareText} [sent] the body as it stands in its request
 * @property {import('../attachments/attachment-input').AttachmentInput[] | null} attachments
 * @property {boolean} [checked] false: a local document's revision need not be the stored one
 * @property {number} [leastSeq] the sequence must not be less
 * @property {import('../access/member').Member} [as] the user, where documents say who may write them; undefined: an administrator
 * @property {string} [given] what its `_access` says, in a database with access by document: see access/access-list.js
 * @property {boolean} [namesAccess] it has `_access`
 * @property {string} [access] who may see it, once that is decided
 * @property {string} [kept] the body as it is stored, where it is not as it was sent
 */

/** Members that a local document has besides its members, even where all of those are kept. */
const LOCAL_MEMBERS = new Set(['_id', '_rev', '_deleted', '_revisions'])

/** Members that reading adds: ignored when they are written back. `_removed` is Sync Gateway's. */
const IGNORED_MEMBERS = new Set(['_revs_info', '_conflicts', '_deleted_conflicts', '_local_seq', '_meta', '_removed', '_rev_tree'])

/**
 * @param {Record<string, any>} doc CouchDB's JSON form
 * @param {boolean} newEdits
 * @param {boolean} [keepLocal] keeps all members of a local document, as PouchDB does
 * @returns {Edit} throws what CouchDB answers
 * @see https://docs.couchdb.org/en/stable/api/document/common.html
 */
function parseDocument (doc, newEdits, keepLocal = false) {
  if (typeof doc !== 'object' || doc === null || Array.isArray(doc)) throw createError('NOT_AN_OBJECT')
  /** @type {Edit} */
  const edit = { id: '', fresh: false, local: false, parent: null, path: null, deleted: false, body: '{}', hash: undefined, sent: undefined, attachments: null }
  if (doc._id === undefined && !newEdits) throw createError('MISSING_ID')
  identify(edit, doc._id)
  edit.body = keepLocal && edit.local ? parseLocalMembers(doc) : parseMembers(edit, doc)
  if (edit.local) edit.attachments = null // dropped without a word, as by CouchDB
  edit.deleted = parseDeleted(doc._deleted)
  if (edit.local) edit.parent = parseLocalRevision(doc._rev, keepLocal)
  else if (newEdits) edit.parent = parseParent(doc)
  else edit.path = parsePath(doc)
  return edit
}

/** @param {Edit} edit @param {any} id */
function identify (edit, id) {
  if (id === undefined) {
    edit.id = newId()
    edit.fresh = true
    return
  }
  validateId(id)
  edit.local = id.charCodeAt(0) === 95 && id.startsWith(LOCAL)
  edit.id = edit.local ? id.slice(LOCAL.length) : id
}

/**
 * Throws unless it is the id of a document, a design document or a local document.
 *
 * @param {any} id
 */
function validateId (id) {
  if (typeof id !== 'string') throw createError('INVALID_ID')
  if (id === '') throw createError('ILLEGAL_DOCID', { reason: 'Document id must not be empty' })
  if (!isWellFormed(id)) throw createError('ILLEGAL_DOCID', { reason: 'Document id must be valid UTF-8' })
  if (isTooLong(id)) throw createError('ILLEGAL_DOCID', { reason: 'Document id is too long' })
  if (id.charCodeAt(0) !== 95) return
  if (!id.startsWith(DESIGN) && !id.startsWith(LOCAL)) throw createError('ILLEGAL_DOCID')
  if (id === DESIGN || id === LOCAL) throw createError('ILLEGAL_DOCID', { reason: `Illegal document id \`${id}\`` })
}

/**
 * Throws where nothing can be stored under an id: what a reader asks for is just missing.
 *
 * @param {any} id
 */
function assertReadable (id) {
  if (typeof id !== 'string') throw createError('INVALID_ID')
  if (!isStorable(id)) throw createError('MISSING', { id })
}

/**
 * The body: what is left without the underscore members, of which most documents begin or end with theirs.
 *
 * @param {Edit} edit
 * @param {DocumentInput} doc
 */
function parseMembers (edit, doc) {
  const carried = carriedText(doc)
  if (carried !== undefined) return parseCarried(edit, doc, carried)
  const names = Object.keys(doc)
  const leading = countLeading(names)
  const trailing = countTrailing(names, leading)
  for (let i = leading; i < names.length - trailing; i++) {
    if (names[i].charCodeAt(0) === 95) return parseMixedMembers(edit, doc, names)
  }
  const text = typeof doc.toJSON === 'function' || isExact(doc) ? '' : stringify(doc)
  // A boxed string is an object, too, but its JSON is none.
  return text.charCodeAt(0) === 123 ? withoutOuter(text, doc, names, leading, trailing) : parseMixedMembers(edit, doc, names)
}

/**
 * The text that was sent is there already, unless it was too long.
 *
 * @param {Edit} edit
 * @param {DocumentInput} doc
 * @param {NonNullable<ReturnType<typeof carriedText>>} carried
 */
function parseCarried (edit, doc, carried) {
  if (carried.bytes === Infinity) throw createError('DOCUMENT_TOO_LARGE', { reason: edit.id })
  for (const name of carried.special) if (name !== '_attachments') parseSpecial(edit, name, doc[name])
  if (doc._attachments !== undefined) parseSpecial(edit, '_attachments', doc._attachments)
  if (carried instanceof BareText) edit.sent = carried
  return carried.body
}

/** @param {Edit} edit @param {DocumentInput} doc @param {string[]} names */
function parseMixedMembers (edit, doc, names) {
  /** @type {Record<string, any>} */
  const rest = {}
  for (const name of names) {
    if (isBodyMember(name)) rest[name] = memberOf(doc, name)
    else parseSpecial(edit, name, doc[name])
  }
  return unmark(doc, stringify(rest))
}

/**
 * A getter is the application's code, and may throw.
 *
 * @param {DocumentInput} doc
 * @param {string} name
 */
function memberOf (doc, name) {
  try {
    return exactMember(doc, name)
  } catch (cause) {
    throw notJson(cause)
  }
}

/** @param {DocumentInput} doc */
function parseLocalMembers (doc) {
  const names = Object.keys(doc).filter(name => !LOCAL_MEMBERS.has(name))
  return unmark(doc, stringify(Object.fromEntries(names.map(name => [name, exactMember(doc, name)]))))
}

/** @param {Edit} edit @param {string} name @param {any} value */
function parseSpecial (edit, name, value) {
  if (name === '_id' || name === '_rev' || name === '_deleted' || name === '_revisions') return
  if (name === '_attachments') {
    if (value !== undefined) edit.attachments = parseAttachments(value)
  } else if (!IGNORED_MEMBERS.has(name)) {
    throw createError('DOC_VALIDATION', { reason: `Bad special document member: ${name}` })
  }
}

/**
 * Values say themselves what they are in JSON; for the document its members do.
 *
 * @param {Record<string, any>} rest
 */
function stringify (rest) {
  if (typeof rest.toJSON === 'function') delete rest.toJSON
  try {
    return stringifyAnyDepth(rest)
  } catch (cause) {
    throw cause instanceof CouchError ? cause : notJson(cause)
  }
}

/** @param {unknown} cause */
function notJson (cause) {
  return createError('BAD_REQUEST', { reason: 'Document must be valid JSON', cause })
}

/** @param {any} deleted */
function parseDeleted (deleted) {
  if (deleted === undefined || deleted === false) return false
  if (deleted === true) return true
  throw createError('DOC_VALIDATION', { reason: 'Bad special document member: _deleted' })
}

/**
 * One that no local document has is a conflict in PouchDB, and malformed in CouchDB.
 *
 * @param {any} rev
 * @param {boolean} keepLocal
 */
function parseLocalRevision (rev, keepLocal) {
  if (rev === undefined) return null
  if (typeof rev !== 'string' || !(keepLocal || /^0-\d+$/.test(rev))) throw createError('INVALID_REV')
  return rev
}

/** @param {DocumentInput} doc */
function parseParent (doc) {
  if (doc._rev !== undefined) return normalise(doc._rev)
  if (doc._revisions === undefined) return null
  const { start, ids } = parseRevisions(doc._revisions)
  return ids.length === 0 ? null : `${start}-${ids[0]}`
}

/**
 * `01-a` and `1-a` are one revision.
 *
 * @param {string} rev
 */
function normalise (rev) {
  const { generation, hash } = parseRevision(rev)
  if (rev.charCodeAt(0) !== ZERO) return rev
  return `${generation}-${hash}`
}

/** The highest generation that is replicated: no number of edits leads from it to one that a revision cannot have, with its 15 digits. */
const HIGHEST = 900_000_000_000_000

/** @param {DocumentInput} doc */
function parsePath (doc) {
  const path = pathOf(doc)
  if (path.start > HIGHEST) throw createError('INVALID_REV')
  return path
}

/** @param {DocumentInput} doc */
function pathOf (doc) {
  const own = doc._rev === undefined ? null : parseRevision(doc._rev)
  if (doc._revisions !== undefined) {
    const path = parseRevisions(doc._revisions)
    if (path.ids.length > 0) return path
  }
  if (own === null) throw createError('INVALID_REV')
  return { start: own.generation, ids: [own.hash] }
}

/** @param {any} revisions */
function parseRevisions (revisions) {
  if (typeof revisions !== 'object' || revisions === null || Array.isArray(revisions)) {
    throw createError('DOC_VALIDATION', { reason: 'Bad special document member: _revisions' })
  }
  const { start, ids } = revisions
  if (!Number.isSafeInteger(start) || start < 0) throw createError('DOC_VALIDATION', { reason: "_revisions.start isn't an integer." })
  if (!Array.isArray(ids)) throw createError('DOC_VALIDATION', { reason: "_revisions.ids isn't a array." })
  if (!ids.every(isHash)) throw createError('DOC_VALIDATION', { reason: "RevId isn't a string" })
  if (ids.length > start) throw createError('DOC_VALIDATION', { reason: '_revisions.start is less than the number of ids' })
  return { start, ids }
}

/**
 * Throws what a write of this document alone would be refused with, whatever is stored.
 *
 * @param {Record<string, any>} doc
 * @param {{ newEdits?: boolean }} [options]
 */
function validateDocument (doc, { newEdits = true } = {}) {
  parseDocument(doc, newEdits)
}

module.exports = { parseDocument, assertReadable, validateDocument, validateId, validateRevision: parseRevision, normaliseRevision: normalise, LOCAL }
