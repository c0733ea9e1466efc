'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { admit } = require('../access/admission')
const { applyEdit, parentOf } = require('./apply-edit')
const { resolveAttachments, NO_ATTACHMENTS } = require('./resolve-attachments')
const { editLocal, nextLocal } = require('../store/local-documents')
const { Turn } = require('../json/turn')
const { LOCAL } = require('./validate')

/**
 * @import { Commit } from './commit'
 * @import { DocumentState } from './document-state'
 * @import { Edit } from './validate'
 * @import { EditWithAttachments } from './resolve-attachments'
 *
 * @typedef {Edit | CouchError} Parsed a document, or why it was refused
 * @typedef {{ revsLimit: number, autoCompaction: boolean, deterministicRevs: boolean | 'couchdb', user: string | null }} Settings
 */

/**
 * Applies all edits, or none if a stub refers to nothing.
 *
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 */
async function applyStrictly (commit, edits, settings) {
  const results = await applyEdits(commit, edits, settings)
  if (results.some(isMissingStub)) commit.abandon()
  return results
}

/** @param {unknown} result */
function isMissingStub (result) {
  return isRefusal(result) && result.code === 'MISSING_STUB'
}

/** @param {unknown} result @returns {result is CouchError} */
function isRefusal (result) {
  return result instanceof CouchError
}

/**
 * Returns the error for the writer of a document that was refused for another's sake.
 *
 * @param {Parsed} edit
 */
function refused (edit) {
  if (isRefusal(edit)) return edit
  return createError('NOT_ALL', { id: edit.local ? LOCAL + edit.id : edit.id })
}

/**
 * Applies the edits one after the other. A refusal is the result of its own document.
 *
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @returns {unknown[] | Promise<unknown[]>} a promise only where attachments need reading, or it takes long
 */
function applyEdits (commit, edits, settings) {
  const results = new Array(edits.length)
  const turn = new Turn()
  for (let i = 0; i < edits.length; i++) {
    if (/** @type {Edit} */ (edits[i]).attachments || turn.isLong || commit.access !== null) return applyRest(commit, edits, settings, results, i, turn)
    results[i] = applyOne(commit, edits[i], settings)
  }
  return results
}

/**
 * @param {Commit} commit
 * @param {Parsed[]} edits
 * @param {Settings} settings
 * @param {unknown[]} results
 * @param {number} from
 * @param {Turn} turn
 */
async function applyRest (commit, edits, settings, results, from, turn) {
  for (let i = from; i < edits.length; i++) {
    if (turn.isLong) await turn.end()
    const refusal = commit.access === null ? undefined : admitted(commit, edits[i])
    const refused = refusal instanceof Promise ? await refusal : refusal
    if (refused !== undefined) results[i] = refused
    else results[i] = /** @type {Edit} */ (edits[i]).attachments ? await applyWithAttachments(commit, /** @type {EditWithAttachments} */ (edits[i]), settings) : applyOne(commit, edits[i], settings)
  }
  return results
}

/** Asks who may write a document, and see it. @param {Commit} commit @param {Parsed} edit @returns {CouchError | undefined | Promise<CouchError | undefined>} a refusal */
function admitted (commit, edit) {
  if (isRefusal(edit)) return undefined
  try {
    const asked = admit(commit, edit)
    return asked instanceof Promise ? asked.then(() => undefined, error => refusal(error, edit)) : undefined
  } catch (error) {
    return refusal(error, edit)
  }
}

/** @param {Commit} commit @param {Parsed} edit @param {Settings} settings */
function applyOne (commit, edit, settings) {
  if (isRefusal(edit)) return edit
  try {
    return edit.local ? editLocal(commit, edit) : applyTo(commit, edit, NO_ATTACHMENTS, settings)
  } catch (error) {
    return refusal(error, edit)
  }
}

/** @param {Commit} commit @param {EditWithAttachments} edit @param {Settings} settings */
async function applyWithAttachments (commit, edit, settings) {
  try {
    return applyTo(commit, edit, await resolveAttachments(commit, edit, settings), settings)
  } catch (error) {
    return refusal(error, edit)
  }
}

/**
 * @param {Commit} commit
 * @param {Edit} edit
 * @param {import('./resolve-attachments').Resolved} attachments
 * @param {Settings} settings
 */
function applyTo (commit, edit, attachments, settings) {
  const state = commit.document(edit.id, edit.fresh)
  if (settings.autoCompaction || commit.isShort) state.compacting = true
  requireRoom(commit, state, edit)
  if (edit.leastSeq !== undefined) state.leastSeq = Math.max(state.leastSeq, edit.leastSeq)
  const rev = applyEdit(state, edit, attachments, settings, commit.accessKey)
  state.user = settings.user
  return { ok: true, id: edit.id, rev }
}

/** @param {Commit} commit @param {DocumentState} state @param {Edit} edit */
function requireRoom (commit, state, edit) {
  if (edit.path !== null || !commit.isFull(edit.id) || !grows(state, edit)) return
  throw createError('PARTITION_FULL', { reason: `Partition limit exceeded due to update on '${edit.id}'` })
}

/**
 * Returns what an edit without attachments would be refused with, null where it would not. Changes nothing.
 *
 * @param {Commit} commit
 * @param {Edit} edit
 */
function foresee (commit, edit) {
  try {
    if (edit.local) nextLocal(commit, edit)
    else {
      const state = commit.document(edit.id, edit.fresh)
      requireRoom(commit, state, edit)
      if (edit.path === null) parentOf(state, edit)
    }
    return null
  } catch (error) {
    return refusal(error, edit)
  }
}

/**
 * In a full partition documents may still become smaller, and what is replicated is taken.
 *
 * @param {DocumentState} state
 * @param {Edit} edit
 */
function grows (state, { deleted, body }) {
  return !deleted && (state.stored === null || body.length > state.stored.body.length)
}

/**
 * One document's error is its own; anything else fails the commit.
 *
 * @param {any} error
 * @param {Edit} edit
 */
function refusal (error, edit) {
  if (!(error instanceof CouchError) || error.code === 'INTERNAL') throw error
  error.id ??= edit.local ? LOCAL + edit.id : edit.id
  return error
}

module.exports = { applyEdits, applyStrictly, foresee, isMissingStub, isRefusal, refused }
