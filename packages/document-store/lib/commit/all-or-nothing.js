'use strict'

const { createError } = require('@potoroo/errors')
const { applyEdits, foresee, isRefusal, refused } = require('./apply-edits')
const { changesSeen } = require('../access/member-documents')
const { Turn, inTurns, mapInTurns } = require('../json/turn')
const { accessOf, decodeChange } = require('../media/record')
const { get } = require('../reading/get')
const { toObjectInTurns } = require('../json/document-json')
const { localRevision } = require('../store/local-documents')
const { LOCAL } = require('./validate')

/**
 * @import { Commit } from './commit'
 * @import { DocumentState } from './document-state'
 * @import { Edit } from './validate'
 * @import { Parsed, Settings } from './apply-edits'
 * @import { Core } from '../store/core'
 * @import { Member } from '../access/member'
 * @import { WriteOptions } from '../..'
 *
 * @typedef {{ reads: Read[], unless?: WriteOptions['unless'], as?: Member }} Conditions as: the member who read, see member-store.js
 * @typedef {{ id: string, rev: string | null }} Read a document as a transaction takes it to be; null: it is not there
 */

/**
 * Applies all edits if all reads still hold, or none: if an edit is refused, the others are told so.
 *
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {Core} core
 * @param {Conditions} conditions
 * @returns {unknown[] | Error | Promise<unknown[] | Error>} CONFLICT with the ids of what has changed, where the conditions do not hold; a
 *   promise where something is read, or it takes long
 */
function applyAll (commit, edits, settings, core, { reads, unless, as }) {
  const stale = staleOf(commit, reads, as)
  if (unless === undefined && !(stale instanceof Promise)) return applyUnless(commit, edits, settings, stale)
  return Promise.resolve(stale).then(async (known) => {
    if (unless !== undefined) known.push(...await appeared(core, unless, reads, as))
    return applyUnless(commit, edits, settings, known)
  })
}

/**
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {string[]} stale
 */
function applyUnless (commit, edits, settings, stale) {
  const results = isForeseeable(edits) ? applyForeseen(commit, edits, settings, stale) : applyAlone(commit, edits, settings, stale)
  return results instanceof Promise ? results.then((all) => outcomeOf(all, stale)) : outcomeOf(results, stale)
}

/** @param {any[]} results @param {string[]} stale */
function outcomeOf (results, stale) {
  if (stale.length === 0) return results
  const conflicts = [...new Set([...stale, ...results.filter(isConflict).map(({ id }) => id)])]
  return createError('CONFLICT', { conflicts: conflicts.map((id) => ({ id, rev: null })) })
}

/**
 * Returns whether all refusals are known before anything is applied, so that a commit may be shared with other writers.
 *
 * @param {Parsed[]} edits
 */
function isForeseeable (edits) {
  const ids = new Set()
  for (const edit of edits) {
    // To know who may write a document may take reading.
    if (isRefusal(edit) || edit.attachments !== null || edit.given !== undefined) return false
    ids.add(edit.local ? LOCAL + edit.id : edit.id)
  }
  return ids.size === edits.length
}

/**
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {string[]} stale
 * @returns {unknown[] | Promise<unknown[]>}
 */
function applyForeseen (commit, edits, settings, stale) {
  const refusals = mapInTurns(edits, (edit) => foresee(commit, /** @type {Edit} */ (edit)))
  return refusals instanceof Promise ? refusals.then((all) => applyUnlessRefused(commit, edits, settings, stale, all)) : applyUnlessRefused(commit, edits, settings, stale, refusals)
}

/**
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {string[]} stale
 * @param {Array<Error | null>} refusals of each edit
 */
function applyUnlessRefused (commit, edits, settings, stale, refusals) {
  if (stale.length === 0 && !refusals.some(isRefusal)) return applyEdits(commit, edits, settings)
  return refusals.map((refusal, i) => refusal ?? refused(edits[i]))
}

/**
 * For a writer that shares its commit with nobody: what was applied in vain goes with it.
 *
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {string[]} stale
 */
async function applyAlone (commit, edits, settings, stale) {
  const results = await applyEdits(commit, edits, settings)
  if (stale.length === 0 && !results.some(isRefusal)) return results
  commit.abandon()
  return results.map((result, i) => isRefusal(result) ? result : refused(edits[i]))
}

/**
 * @param {Commit} commit
 * @param {Read[]} reads
 * @param {Member | undefined} as
 * @returns {string[] | Promise<string[]>} ids of what is not as it was read
 */
function staleOf (commit, reads, as) {
  if (as !== undefined) return staleOfMember(commit, reads, as)
  /** @type {string[]} */
  const stale = []
  const rest = inTurns(reads, (read) => { if (!holds(commit, read)) stale.push(read.id) })
  return rest instanceof Promise ? rest.then(() => stale) : stale
}

/** @param {Commit} commit @param {Read[]} reads @param {Member} as */
async function staleOfMember (commit, reads, as) {
  const stale = []
  const turn = new Turn()
  for (const read of reads) {
    if (turn.isLong) await turn.end()
    if (!await holds(commit, read, as)) stale.push(read.id)
  }
  return stale
}

/**
 * Returns whether a document is still as it was read. A deleted one is not there, and has its revision all the same; one that the member
 * may not see is not there, and has none.
 *
 * @param {Commit} commit
 * @param {Read} read
 * @param {Member} [as]
 * @returns {boolean | Promise<boolean>} a promise of a member's
 */
function holds (commit, { id, rev }, as) {
  if (id.startsWith(LOCAL)) return localRevision(commit, id.slice(LOCAL.length), as) === rev
  const state = commit.document(id)
  if (as === undefined || !state.exists) return isAt(state, rev)
  const payload = commit.payload(state, /** @type {string} */ (state.winner))
  return payload.then((text) => as.reads(id, accessOf(/** @type {string} */ (text))) ? isAt(state, rev) : rev === null)
}

/** @param {DocumentState} state @param {string | null} rev */
function isAt ({ exists, deleted, winner }, rev) { return rev === null ? !exists || deleted : exists && winner === rev }

/** Changes that are looked at one by one. */
const MOST_CHANGES = 1000

/**
 * Returns the ids of documents that were written after a sequence and match; where there are very many, of all
 * of them. It reads stored documents alone, so nobody else may be in the commit.
 *
 * @param {Core} core
 * @param {NonNullable<WriteOptions['unless']>} unless
 * @param {Read[]} reads these are compared already
 * @param {Member} [as] nothing appears to them that they may not see
 */
async function appeared (core, { since, matches }, reads, as) {
  const texts = await (as === undefined ? changesAfter(core, since) : changesSeen(core, as, since, MOST_CHANGES + 1))
  const known = new Set(reads.map(({ id }) => id))
  const changed = texts.map(decodeChange).filter(({ id, deleted }) => !deleted && !known.has(id)).map(({ id }) => id)
  if (texts.length > MOST_CHANGES) return changed
  const found = []
  for (const id of changed) {
    const document = await get(core, id)
    if (await matches(await toObjectInTurns(document), document.body.length)) found.push(id)
  }
  return found
}

/** @param {Core} core @param {number} since */
async function changesAfter ({ keyspace, layout }, since) {
  const { lt } = layout.range(layout.sequences)
  const entries = await keyspace.entries({ gt: layout.sequence(since), lt, limit: MOST_CHANGES + 1 }).all()
  return entries.map(([, text]) => text)
}

/** @param {unknown} result @returns {result is Error & { id: string }} */
function isConflict (result) { return isRefusal(result) && result.code === 'CONFLICT' }

module.exports = { applyAll, isForeseeable }
