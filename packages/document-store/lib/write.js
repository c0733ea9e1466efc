'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { applyEdit } = require('./apply-edit')
const { resolveAttachments, NO_ATTACHMENTS } = require('./resolve-attachments')
const { editLocal } = require('./local-documents')
const { parseDocument } = require('./validate')
const { removeContent, uploadStreams } = require('./uploads')

/**
 * Writes documents, local ones too, in one commit.
 *
 * @param {import('./core').Core} core
 * @param {Record<string, any>[]} docs
 * @param {import('..').WriteOptions} [options]
 */
async function write (core, docs, { newEdits = true, strict = false } = {}) {
  core.assertOpen()
  if (!Array.isArray(docs)) throw createError('BAD_REQUEST', { reason: '`docs` must be an array.' })
  const edits = docs.map((doc) => parseOrError(doc, newEdits))
  const valid = /** @type {import('./validate').Edit[]} */ (edits.filter((edit) => !(edit instanceof CouchError)))
  if (strict && valid.length < edits.length) throw edits.find((edit) => edit instanceof CouchError)
  if (valid.length === 0) return edits
  const streams = valid.some(hasStream)
  if (streams) await uploadStreams(core, valid)
  try {
    return await core.queue.push({ keys: keysOf(core, valid), apply: (commit) => applyEdits(commit, edits) })
  } catch (error) {
    if (streams) await removeUploads(core, valid)
    throw error
  }
}

function parseOrError (doc, newEdits) {
  try {
    return parseDocument(doc, newEdits)
  } catch (error) {
    if (!(error instanceof CouchError)) throw error
    if (typeof doc?._id === 'string') error.id = doc._id
    return error
  }
}

function hasStream (edit) {
  return edit.attachments !== null && edit.attachments.some((input) => input.data !== null && !Buffer.isBuffer(input.data))
}

function keysOf (core, edits) {
  if (core.keyspace.sync) return []
  return edits.filter((edit) => !edit.fresh).map((edit) => edit.local ? core.layout.local(edit.id) : core.layout.document(edit.id))
}

async function removeUploads (core, edits) {
  for (const { upload } of edits.flatMap((edit) => edit.attachments ?? [])) {
    if (upload !== null) await removeContent(core, upload.content).catch(() => {}) // removed at the next open
  }
}

/** @returns {unknown[] | Promise<unknown[]>} a promise only where attachments need reading */
function applyEdits (commit, edits) {
  const results = new Array(edits.length)
  for (let i = 0; i < edits.length; i++) {
    if (edits[i].attachments) return applyRest(commit, edits, results, i)
    results[i] = applyOne(commit, edits[i])
  }
  return results
}

async function applyRest (commit, edits, results, from) {
  for (let i = from; i < edits.length; i++) {
    results[i] = edits[i].attachments ? await applyWithAttachments(commit, edits[i]) : applyOne(commit, edits[i])
  }
  return results
}

function applyOne (commit, edit) {
  if (edit instanceof CouchError) return edit
  try {
    return edit.local ? editLocal(commit, edit) : applyTo(commit, edit, NO_ATTACHMENTS)
  } catch (error) {
    return refusal(error, edit)
  }
}

async function applyWithAttachments (commit, edit) {
  try {
    if (edit.local) throw createError('BAD_REQUEST', { reason: 'Local documents cannot have attachments' })
    return applyTo(commit, edit, await resolveAttachments(commit, edit))
  } catch (error) {
    return refusal(error, edit)
  }
}

function applyTo (commit, edit, attachments) {
  const state = commit.document(edit.id, edit.fresh)
  return { ok: true, id: edit.id, rev: applyEdit(state, edit, attachments, commit.options) }
}

/** One document's error is its own; anything else fails the commit. */
function refusal (error, edit) {
  if (!(error instanceof CouchError) || error.code === 'INTERNAL') throw error
  error.id ??= edit.local ? '_local/' + edit.id : edit.id
  return error
}

module.exports = { write }
