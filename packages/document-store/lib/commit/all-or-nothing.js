'use strict'

const { createError } = require('@potoroo/errors')
const { applyEdits, foresee, isRefusal, refused } = require('./apply-edits')
const { mapInTurns } = require('../json/turn')
const { decodeChange } = require('../media/record')
const { get } = require('../reading/get')
const { toObjectInTurns } = require('../json/document-json')
const { localRevision } = require('../store/local-documents')
const { LOCAL } = require('./validate')

/**
 * @import { Commit } from './commit'
 * @import { Edit } from './validate'
 * @import { Parsed, Settings } from './apply-edits'
 * @import { Core } from '../store/core'
 * @import { WriteOptions } from '../..'
 *
 * @typedef {{ reads: Read[], unless?: WriteOptions['unless'] }} Conditions
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
 * @returns {Promise<unknown[] | Error>} CONFLICT with the ids of what has changed, where the conditions do not hold
 */
async function applyAll (commit, edits, settings, core, { reads, unless }) {
  const stale = (await mapInTurns(reads, (read) => holds(commit, read) ? null : read.id)).filter((id) => id !== null)
  if (unless !== undefined) stale.push(...await appeared(core, unless, reads))
  const results = await (isForeseeable(edits) ? applyForeseen(commit, edits, settings, stale) : applyAlone(commit, edits, settings, stale))
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

/** @param {Commit} commit @param {Parsed[]} edits @param {Settings} settings @param {string[]} stale */
async function applyForeseen (commit, edits, settings, stale) {
  const refusals = await mapInTurns(edits, (edit) => foresee(commit, /** @type {Edit} */ (edit)))
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
 * Returns whether a document is still as it was read. A deleted one is not there, and has its revision all the same.
 *
 * @param {Commit} commit
 * @param {Read} read
 */
function holds (commit, { id, rev }) {
  if (id.startsWith(LOCAL)) return localRevision(commit, id.slice(LOCAL.length)) === rev
  const { exists, deleted, winner } = commit.document(id)
  return rev === null ? !exists || deleted : exists && winner === rev
}

/** Changes that are looked at one by one. */
const MOST_CHANGES = 1000

/**
 * Returns the ids of documents that were written after a sequence and match; where there are very many, of all
 * of them. It reads stored documents alone, so nobody else may be in the commit.
 *
 * @param {Core} core
 * @param {NonNullable<WriteOptions['unless']>} unless
 * @param {Read[]} reads these are compared already
 */
async function appeared (core, { since, matches }, reads) {
  const { keyspace, layout } = core
  const { lt } = layout.range(layout.sequences)
  const entries = await keyspace.entries({ gt: layout.sequence(since), lt, limit: MOST_CHANGES + 1 }).all()
  const known = new Set(reads.map(({ id }) => id))
  const changed = entries.map(([, text]) => decodeChange(text)).filter(({ id, deleted }) => !deleted && !known.has(id)).map(({ id }) => id)
  if (entries.length > MOST_CHANGES) return changed
  const found = []
  for (const id of changed) {
    const document = await get(core, id)
    if (await matches(await toObjectInTurns(document), document.body.length)) found.push(id)
  }
  return found
}

/** @param {unknown} result @returns {result is Error & { id: string }} */
function isConflict (result) { return isRefusal(result) && result.code === 'CONFLICT' }

module.exports = { applyAll, isForeseeable }
