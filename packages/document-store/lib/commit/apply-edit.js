'use strict'

const { createError } = require('@potoroo/errors')
const { editHash, keyedHash } = require('./edit-hash')
const { encodePayload } = require('../media/record')
const { randomHex } = require('../revision-tree/revision')

/**
 * @import { DocumentState } from './document-state'
 * @import { Edit } from './validate'
 *
 * @typedef {{ revsLimit: number, deterministicRevs: boolean | 'couchdb' }} Settings
 * @typedef {Edit & { path: {} }} Replicated
 */

/**
 * Applies an edit to a document, by CouchDB's rules, or throws.
 *
 * @param {import('./document-state').DocumentState} state
 * @param {import('./validate').Edit} edit
 * @param {import('./resolve-attachments').Resolved} attachments
 * @param {Settings} options
 * @param {string} key of a database with access by document, '' of another: see `keyedHash`
 * @returns {string} the revision
 */
function applyEdit (state, edit, attachments, options, key) {
  return edit.path === null
    ? applyInteractive(state, edit, attachments, options, key)
    : applyReplicated(state, /** @type {Replicated} */ (edit), attachments, options)
}

/**
 * @param {DocumentState} state
 * @param {Edit} edit
 * @param {import('./resolve-attachments').Resolved} attachments
 * @param {Settings} options
 * @param {string} key
 */
function applyInteractive (state, edit, attachments, options, key) {
  const parent = parentOf(state, edit)
  const { text } = attachments
  const plain = options.deterministicRevs === false ? randomHex() : hashOf(edit, parent, attachments, options.deterministicRevs)
  const hash = key === '' ? plain : keyedHash(key, state.id, plain)
  const path = childOf(parent, hash)
  state.addsAttachments ||= text !== ''
  state.add(path, edit.deleted, encodePayload(text, edit.kept ?? edit.body, edit.access), options.revsLimit)
  return `${path.start}-${hash}`
}

/**
 * @param {Edit} edit
 * @param {string | null} parent
 * @param {import('./resolve-attachments').Resolved} attachments
 * @param {true | 'couchdb'} kind
 */
function hashOf (edit, parent, { infos, term }, kind) {
  // One that was prepared is of the parent that the edit names.
  if (edit.hash !== undefined && edit.parent === parent) return edit.hash
  return editHash(edit.deleted, parent, infos, edit.body, kind, { body: edit.term, attachments: term, sent: edit.sent })
}

/**
 * A revision that is known already changes nothing, except for ancestors that are new.
 *
 * @param {DocumentState} state
 * @param {Replicated} edit
 * @param {import('./resolve-attachments').Resolved} attachments
 * @param {Settings} options
 */
function applyReplicated (state, edit, attachments, options) {
  const rev = `${edit.path.start}-${edit.path.ids[0]}`
  if (state.has(rev)) state.learn(edit.path, options.revsLimit)
  else {
    state.addsAttachments ||= attachments.text !== ''
    state.add(edit.path, edit.deleted, encodePayload(attachments.text, edit.kept ?? edit.body, edit.access), options.revsLimit)
  }
  return rev
}

/**
 * The revision that an interactive edit extends: the leaf that it names, or the deleted winner
 * where it creates the document again; null for a new document. Throws CONFLICT otherwise.
 *
 * @param {DocumentState} state
 * @param {Edit} edit
 */
function parentOf (state, edit) {
  if (!state.exists) {
    if (edit.parent === null) return null
  } else if (edit.parent === null) {
    if (state.deleted && !edit.deleted) return state.winner
  } else if (state.isLeaf(edit.parent)) return edit.parent
  throw createError('CONFLICT', { id: state.id })
}

/** @param {string | null} parent @param {string} hash */
function childOf (parent, hash) {
  if (parent === null) return { start: 1, ids: [hash] }
  const dash = parent.indexOf('-')
  return { start: Number(parent.slice(0, dash)) + 1, ids: [hash, parent.slice(dash + 1)] }
}

/**
 * The generation that an edit's revision will have.
 *
 * @param {DocumentState} state
 * @param {Edit} edit
 */
function generationOf (state, edit) {
  return edit.path === null ? childOf(parentOf(state, edit), '').start : edit.path.start
}

module.exports = { applyEdit, parentOf, generationOf }
