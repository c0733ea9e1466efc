'use strict'

const { badRequest, createError } = require('@potoroo/errors')

/** For content that comes along in JSON: longer than this, as base64 it would be longer than text can be. */
const withAttachments = Object.freeze({ attachments: true, attachmentsLimit: 300 * 1024 * 1024 })

/** The same in lists, where one document must not keep the others from their readers. */
const withAttachmentsOrStubs = Object.freeze({ ...withAttachments, stubsBeyond: true })

/** `true` counts, everything else does not: so CouchDB reads the flags of a document. @param {string} text */
function flag (text) { return text === 'true' }

/**
 * @param {any} text
 * @returns {string} the same
 * @throws bad_request "Invalid rev format"
 */
function revision (text) {
  if (typeof text === 'string' && /^\d{1,15}-/.test(text)) return text
  throw createError('INVALID_REV')
}

/** A JSON list of revisions. @param {string} text */
function revisions (text) {
  let list
  try {
    list = JSON.parse(text)
  } catch (cause) {
    throw createError('INVALID_JSON', { cause })
  }
  if (!Array.isArray(list)) throw badRequest('Invalid list of revisions')
  return list.map(revision)
}

/** An empty list asks for none in particular. @param {string} text */
function someRevisions (text) {
  const list = revisions(text)
  return list.length === 0 ? undefined : list
}

/** In how many copies a write is wanted before the answer; the one that there is, where it is no number. @param {string} text */
function copies (text) { return /^[+-]?\d+$/.test(text) ? Number(text) : 1 }

/** How `GET /{db}/{doc}` may be asked. */
const readQuery = {
  rev: revision,
  /** @param {string} text */
  open_revs: text => text === 'all' ? 'all' : someRevisions(text),
  atts_since: revisions,
  attachments: flag,
  att_encoding_info: flag,
  conflicts: flag,
  deleted_conflicts: flag,
  latest: flag,
  local_seq: flag,
  meta: flag,
  revs: flag,
  revs_info: flag
}

/**
 * The options that the document store is asked by. History, conflicts and sequence are those of the document: who asks for
 * a revision is not told them, as CouchDB has it.
 *
 * @param {Record<string, any>} args as `readQuery` declares them
 * @param {boolean} [isDocument] whether the document is asked for, and no revision
 * @returns {import('@potoroo/document-store').GetOptions}
 */
function readOptions (args, isDocument = args.open_revs === undefined && (args.rev === undefined || args.latest)) {
  /** @type {import('@potoroo/document-store').GetOptions} */
  const options = {}
  if (args.rev !== undefined) options.rev = args.rev
  if (args.latest) options.latest = true
  if (args.revs) options.revs = true
  if (isDocument) addMeta(options, args)
  if (args.attachments || args.atts_since !== undefined) Object.assign(options, withAttachments)
  if (args.atts_since !== undefined) options.attsSince = args.atts_since
  return options
}

/** @param {import('@potoroo/document-store').GetOptions} options @param {Record<string, any>} args */
function addMeta (options, args) {
  if (args.revs_info || args.meta) options.revsInfo = true
  if (args.conflicts || args.meta) options.conflicts = true
  if (args.deleted_conflicts || args.meta) options.deletedConflicts = true
  if (args.local_seq) options.localSeq = true
  if (args.meta) options.meta = true
}

module.exports = { readQuery, readOptions, withAttachments, withAttachmentsOrStubs, copies, revision, flag }
