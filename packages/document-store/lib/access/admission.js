'use strict'

const { createError } = require('@potoroo/errors')
const { parentOf } = require('../commit/apply-edit')
const { accessOf } = require('../media/record')
const { parseInTurns } = require('../large-json/parse')
const { accessValue, encodeAccess, parseAccess } = require('./access-list')

/**
 * @import { Commit } from '../commit/commit'
 * @import { DocumentState } from '../commit/document-state'
 * @import { Edit } from '../commit/validate'
 * @import { Member } from './member'
 *
 * @typedef {object} Base the revision that an edit follows
 * @property {string} rev
 * @property {string} access
 * @property {boolean} isKept whether its body is stored, so that its access is known
 */

/** UTF-16 units of a body that is parsed in turns. */
const LARGE = 256 * 1024

/**
 * Reads `_access` of a document that came in.
 *
 * @param {Edit} edit gets `given`
 * @returns {void | Promise<void>} a promise of a large one
 * @throws doc_validation
 */
function readAccess (edit) {
  edit.given = ''
  // A name may be written with escapes.
  if (edit.local || !(edit.body.includes('"_access"') || edit.body.includes('\\u'))) return
  if (edit.body.length > LARGE) return parseInTurns(edit.body).then(members => { take(edit, members) })
  take(edit, JSON.parse(edit.body))
}

/** @param {Edit} edit @param {any} members */
function take (edit, members) {
  if (!Object.hasOwn(members, '_access')) return
  edit.given = parseAccess(members._access)
  edit.namesAccess = true
}

/**
 * Decides whether an edit may be made, and who may see what it makes. Nothing is told of documents that the user may not see.
 *
 * @param {Commit} commit
 * @param {Edit} edit
 * @returns {void | Promise<void>} a promise where it takes reading
 * @throws forbidden, unauthorized, conflict
 */
function admit (commit, edit) {
  if (edit.local) return
  edit.access = edit.given
  edit.kept = undefined
  const state = commit.document(edit.id, edit.fresh)
  if (!state.exists) return edit.as === undefined ? undefined : admitNew(edit, edit.as)
  const winner = /** @type {string} */ (state.winner)
  const rev = baseOf(state, edit) ?? winner
  const known = atHand(state, winner)
  const base = rev === winner ? known : atHand(state, rev)
  if (known !== undefined && base !== undefined) return admitEdit(state, edit, accessOf(known), { rev, access: accessOf(base), isKept: true })
  return readAndAdmit(commit, state, edit, winner, rev)
}

/** @param {Commit} commit @param {DocumentState} state @param {Edit} edit @param {string} winner @param {string} rev */
async function readAndAdmit (commit, state, edit, winner, rev) {
  const access = accessOf(/** @type {string} */ (await commit.payload(state, winner)))
  const base = await commit.payload(state, rev)
  admitEdit(state, edit, access, { rev, access: base === undefined ? access : accessOf(base), isKept: base !== undefined })
}

/** @param {DocumentState} state @param {string} rev */
function atHand (state, rev) {
  return state.fresh.get(rev) ?? (rev === state.storedWinner ? /** @type {any} */ (state.stored).payload : undefined)
}

/** The newest revision in the document that an edit says it follows. @param {DocumentState} state @param {Edit} edit */
function baseOf (state, { parent, path }) {
  if (path === null) return parent
  for (let i = 0; i < path.ids.length; i++) {
    const rev = `${path.start - i}-${path.ids[i]}`
    if (state.has(rev)) return rev
  }
  return null
}

/** A deletion of what is not there belongs to its writer. @param {Edit} edit @param {Member} member */
function admitNew (edit, member) {
  // It follows what is not there: a conflict.
  if (edit.path === null && edit.parent !== null) return
  if (edit.deleted && !edit.namesAccess && member.own !== null) return inherit(edit, encodeAccess([member.own], []))
  const given = /** @type {string} */ (edit.given)
  if (given === '' || !member.writes(given)) throw refusal(member, '`_access` must name you, or a role of yours')
  if (!member.isAlone(given)) throw refusal(member, 'Only administrators give documents to others: `_access` may name you and roles of yours')
}

/** @param {DocumentState} state @param {Edit} edit @param {string} access of the document @param {Base} base */
function admitEdit (state, edit, access, base) {
  if (edit.as !== undefined) admitMember(state, edit, edit.as, access, base)
  if (edit.deleted && edit.given === '') inherit(edit, base.access)
}

/** @param {DocumentState} state @param {Edit} edit @param {Member} member @param {string} access @param {Base} base */
function admitMember (state, edit, member, access, base) {
  if (!member.reads(edit.id, access)) throw hidden(edit, member)
  // It may follow a conflict that is for others to read, or to write.
  const follows = base.isKept && state.isLeaf(base.rev) ? base.access : access
  if (!member.reads(edit.id, follows)) throw hidden(edit, member)
  if (!member.writes(access) || !member.writes(follows)) throw refusal(member, 'You may read this document, and not write it')
  // A stale edit is a conflict, whatever else it is.
  if (edit.path === null) parentOf(state, edit)
  if (edit.given === access || (edit.deleted && (edit.given === '' || edit.given === base.access))) return
  throw refusal(member, 'Only administrators change `_access` of a document')
}

/** As of a document that is not there, where that is refused too. @param {Edit} edit @param {Member} member */
function hidden (edit, member) {
  if (edit.path === null && edit.parent !== null) return createError('CONFLICT', { id: edit.id })
  return refusal(member, 'You are not allowed to write this document')
}

/**
 * A deletion is for those who saw what is deleted. Its text says so, for replicas; its revision is that of what was sent.
 *
 * @param {Edit} edit
 * @param {string} access
 */
function inherit (edit, access) {
  edit.access = access
  if (access === '' || edit.namesAccess) return
  const members = edit.body === '{}' ? '}' : `,${edit.body.slice(1)}`
  edit.kept = `{"_access":${JSON.stringify(accessValue(access))}${members}`
}

/** @param {Member} member @param {string} reason */
function refusal (member, reason) {
  return createError(member.own === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason })
}

module.exports = { admit, readAccess }
