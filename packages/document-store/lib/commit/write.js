'use strict'

const { CouchError, badRequest } = require('@potoroo/errors')
const { applyAll, isForeseeable } = require('./all-or-nothing')
const { applyEdits, applyStrictly, isMissingStub, isRefusal, refused } = require('./apply-edits')
const { readAccess } = require('../access/admission')
const { bodyTerm } = require('./couch-hash')
const { encodeAttachments } = require('../attachments/encode-attachment')
const { parseEdits } = require('./parse-edits')
const { partitionOf } = require('../store/partition')
const { LOCAL } = require('./validate')
const { validLimit } = require('../reading/limit')
const { spaceOf } = require('../store/local-documents')
const { Turn } = require('../json/turn')
const { removeUploads, uploadStreams } = require('../attachments/uploads')

/**
 * @import { Core } from '../store/core'
 * @import { DocumentInput } from '../..'
 * @import { Parsed, Settings } from './apply-edits'
 * @import { Read } from './all-or-nothing'
 * @import { Edit } from './validate'
 * @import { Job } from './write-queue'
 */

/** Documents of one commit, and characters of their bodies: nobody else runs while it is put together. */
const MOST_EDITS = 1000
const MOST_CHARACTERS = 4 * 1024 * 1024

/** UTF-16 units of a body above which its hash is prepared in turns. */
const LONG = 512 * 1024

/** There are as many sequences again before numbers are no longer exact. */
const MOST_SEQUENCE = 2 ** 52

/**
 * Writes documents, local ones too: in one commit, or in several where they are many.
 *
 * @param {import('../store/core').Core} core
 * @param {Record<string, any>[]} docs
 * @param {import('../..').WriteOptions} [options]
 */
async function write (core, docs, options = {}) {
  const { newEdits = true, strict = false, allOrNothing = false, keepLocal = false, checkLocal = true, keepSequences = false, reads = [], unless, as } = options
  core.assertOpen()
  const settings = settingsOf(core, options)
  const parsed = parseEdits(core, docs, newEdits, keepLocal)
  const edits = parsed instanceof Promise ? await parsed : parsed
  if (core.byDocument) await readEachAccess(edits, as)
  if (keepSequences) addSequences(docs, edits)
  const valid = /** @type {import('./validate').Edit[]} */ (edits.filter((edit) => !isRefusal(edit)))
  if (!checkLocal) for (const edit of valid) edit.checked = false
  const malformed = strict ? edits.find((edit, i) => isRefusal(edit) && edit !== docs[i]) : undefined
  if (malformed !== undefined) throw malformed
  if (allOrNothing && valid.length < edits.length) return edits.map(refused)
  if (valid.length === 0 && reads.length === 0 && unless === undefined) return edits
  if (valid.some(hasAttachments)) await encodeAttachments(core, valid)
  if (settings.deterministicRevs === 'couchdb') {
    for (const edit of valid) if (edit.body.length > LONG && edit.path === null && !edit.local) edit.term = await bodyTerm(edit.body)
  }
  const streams = valid.some(hasStream)
  if (streams) await uploadStreams(core, valid)
  const job = jobOf(core, edits, valid, options, settings)
  const isWhole = allOrNothing || job.alone
  const results = await (streams ? pushUploaded(core, valid, job) : isWhole ? core.queue.push(job) : pushInParts(core, edits, job, settings))
  if (isRefusal(results)) throw results
  const missing = strict ? results.find(isMissingStub) : undefined
  if (missing !== undefined) throw missing
  return results
}

/**
 * Writes documents that were taken apart before: see prepared.js.
 *
 * @param {Core} core
 * @param {Edit[]} edits without attachments, and no local documents
 * @param {Pick<import('../..').WriteOptions, 'user'>} options
 */
function writeEdits (core, edits, options) {
  core.assertOpen()
  const settings = settingsOf(core, options)
  return pushInParts(core, edits, jobOf(core, edits, edits, {}, settings), settings)
}

/**
 * @param {Core} core
 * @param {Parsed[]} edits
 * @param {Job} whole what writes them all
 * @param {Settings} settings
 */
function pushInParts (core, edits, whole, settings) {
  const parts = edits.length === 1 ? [edits] : partsOf(edits)
  return parts.length === 1 ? core.queue.push(whole) : pushParts(core, parts, settings)
}

/** @param {Core} core @param {Parsed[][]} parts @param {Settings} settings */
async function pushParts (core, parts, settings) {
  const results = []
  const turn = new Turn()
  for (const part of parts) {
    const job = jobOf(core, part, /** @type {Edit[]} */ (part.filter((edit) => !isRefusal(edit))), {}, settings)
    for (const result of await core.queue.push(job)) results.push(result)
    // A level that answers at once lets nobody else run.
    if (turn.isLong) await turn.end()
  }
  return results
}

/** @param {Parsed[]} edits */
function partsOf (edits) {
  const parts = []
  let from = 0
  let characters = 0
  for (let i = 0; i < edits.length; i++) {
    characters += isRefusal(edits[i]) ? 0 : /** @type {Edit} */ (edits[i]).body.length
    if (i + 1 - from < MOST_EDITS && characters < MOST_CHARACTERS) continue
    parts.push(edits.slice(from, i + 1))
    from = i + 1
    characters = 0
  }
  if (from < edits.length) parts.push(edits.slice(from))
  return parts
}

/**
 * Removes with the commit what was uploaded and is not wanted; if an edit was refused, nobody has seen to it.
 *
 * @param {Core} core
 * @param {Edit[]} edits
 * @param {Job} job
 */
async function pushUploaded (core, edits, job) {
  let done = false
  try {
    const results = await core.queue.push(job)
    done = isWritten(results)
    return results
  } finally {
    if (!done) await removeUploads(core, edits)
  }
}

/** Whether all is written. @param {any} results */
function isWritten (results) { return !isRefusal(results) && !results.some(isRefusal) }

/**
 * Returns what this write asks for, or else the store.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../..').WriteOptions} options
 */
function settingsOf (core, { revsLimit, autoCompaction, deterministicRevs, user }) {
  if (revsLimit === undefined && autoCompaction === undefined && deterministicRevs === undefined && user === undefined) return core.options
  return {
    revsLimit: revsLimit === undefined ? core.options.revsLimit : validLimit(revsLimit, 'rev_limit'),
    autoCompaction: autoCompaction ?? core.options.autoCompaction,
    deterministicRevs: deterministicRevs ?? core.options.deterministicRevs,
    user: user?.name ?? null
  }
}

/**
 * One that may have to take back what it has done to a commit is alone there.
 *
 * @param {Core} core
 * @param {Parsed[]} edits
 * @param {Edit[]} valid
 * @param {import('../..').WriteOptions} options
 * @param {Settings} settings
 * @returns {import('./write-queue').Job}
 */
function jobOf (core, edits, valid, { allOrNothing = false, strict = false, reads = [], unless, as, committed }, settings) {
  const keys = keysOf(core, valid, reads, as)
  const kept = valid.every(isRemoval) ? 'half' : undefined
  // V8 gives each object that is made by spreading another a class of its own.
  if (allOrNothing) {
    return {
      keys,
      kept,
      alone: unless !== undefined || !isForeseeable(edits),
      apply: (commit) => applyAll(commit, edits, settings, core, { reads, unless, as }),
      committed: committed && ((results) => { if (isWritten(results)) committed(results) })
    }
  }
  if (strict && edits.some(hasStub)) return { keys, kept, alone: true, apply: (commit) => applyStrictly(commit, edits, settings) }
  return { keys, kept, alone: false, apply: (commit) => applyEdits(commit, edits, settings) }
}

/**
 * Reads who may see each document; one that says so in a wrong way is refused.
 *
 * @param {Parsed[]} edits
 * @param {import('../access/member').Member | undefined} as
 */
async function readEachAccess (edits, as) {
  const turn = new Turn()
  for (const [i, edit] of edits.entries()) {
    if (isRefusal(edit)) continue
    edit.as = as
    if (turn.isLong) await turn.end()
    try {
      const reading = readAccess(edit)
      if (reading !== undefined) await reading
    } catch (error) {
      if (!(error instanceof CouchError)) throw error
      edits[i] = Object.assign(error, { id: edit.id })
    }
  }
}

/**
 * `_local_seq` is ignored elsewhere: it comes from reading.
 *
 * @param {DocumentInput[]} docs
 * @param {Parsed[]} edits
 */
function addSequences (docs, edits) {
  edits.forEach((edit, i) => {
    const seq = isRefusal(edit) ? undefined : docs[i]._local_seq
    if (!Number.isSafeInteger(seq)) return
    if (seq > MOST_SEQUENCE) edits[i] = badRequest('`_local_seq` must be at most 2^52')
    else /** @type {Edit} */ (edit).leastSeq = seq
  })
}

/** @param {Edit} edit */
function hasAttachments (edit) {
  return edit.attachments !== null
}

/** Bytes of what may be kept in a document that is deleted and still count as nothing but a mark. */
const LARGEST_MARK = 1024

/** @param {Edit} edit */
function isRemoval (edit) {
  return edit.deleted && edit.attachments === null && (edit.local || edit.body.length <= LARGEST_MARK)
}

/** @param {Edit} edit */
function hasStream (edit) {
  return edit.attachments !== null && edit.attachments.some((input) => input.source !== null)
}

/** @param {Core} core @param {Edit[]} edits @param {Read[]} reads @param {import('../access/member').Member | undefined} as */
function keysOf (core, edits, reads, as) {
  if (core.keyspace.sync) return []
  const { layout } = core
  const keys = edits.filter((edit) => !edit.fresh).map((edit) => edit.local ? layout.localIn(edit.id, spaceOf(edit.as)) : layout.document(edit.id))
  for (const { id } of reads) keys.push(id.startsWith(LOCAL) ? layout.localIn(id.slice(LOCAL.length), spaceOf(as)) : layout.document(id))
  if (!core.partitioned) return keys
  const partitions = new Set(edits.filter((edit) => !edit.local).map((edit) => partitionOf(edit.id)))
  partitions.delete(null)
  return [...keys, ...[...partitions].map((name) => core.layout.partition(/** @type {string} */ (name)))]
}

/** @param {Parsed} edit */
function hasStub (edit) {
  return !isRefusal(edit) && edit.attachments !== null && edit.attachments.some((input) => input.stub)
}

module.exports = { LONG, MOST_EDITS, write, writeEdits }
