'use strict'

const { createError } = require('@potoroo/errors')
const { parentOf } = require('./apply-edit')
const { attachmentsTerm } = require('./couch-hash')
const { DEFAULT_TYPE } = require('../attachments/attachment-input')
const { carryNames } = require('../json/carried-text')
const { attachmentsOf } = require('../media/record')
const { MANY, parseAttachments, storedText } = require('../large-json/attachments')
const { Turn, mapInTurns } = require('../json/turn')

/**
 * @import { Commit } from './commit'
 * @import { DocumentState } from './document-state'
 * @import { Entry } from '../attachments/attachment-store'
 * @import { Edit } from './validate'
 * @import { AttachmentInput } from '../attachments/attachment-input'
 * @import { Path } from '../revision-tree/encode'
 * @import { AttachmentInfo } from '../..'
 *
 * @typedef {Pick<AttachmentInfo, 'contentType' | 'digest' | 'length'> & { encoding: 'gzip' | null, plainLength: number | null }} Content found, or brought
 * @typedef {AttachmentInput & Content} Brought an input that was read: its type, digest and length are known
 * @typedef {Edit & { attachments: AttachmentInput[] }} EditWithAttachments
 */

/**
 * Attachments of an edit: as stored, and by name.
 * @typedef {{ text: string, infos: Record<string, AttachmentInfo>, term?: Buffer }} Resolved term: of very many, see `editHash`
 */

/** @type {Resolved} */
const NO_ATTACHMENTS = Object.freeze({ text: '', infos: Object.freeze({}) })

/**
 * Finds the content of an edit's attachments: what it brings, and what its stubs refer to.
 *
 * @param {import('./commit').Commit} commit
 * @param {EditWithAttachments} edit
 * @param {{ deterministicRevs: boolean | 'couchdb' }} settings
 * @returns {Promise<Resolved>} throws MISSING_STUB, CONFLICT
 */
async function resolveAttachments (commit, edit, { deterministicRevs }) {
  const brought = edit.attachments.filter((input) => !input.stub)
  const contents = mapInTurns(brought, (input) => toContent(commit, /** @type {Brought} */ (input)))
  await commit.attachments.offer(contents instanceof Promise ? await contents : contents)
  const state = commit.document(edit.id, edit.fresh)
  const parent = edit.path === null ? parentOf(state, edit) : nearestKnown(state, edit.path)
  const generation = edit.path === null ? generationAfter(parent) : edit.path.start
  const before = await parentsAttachments(commit, state, parent, edit.as)
  /** @type {Record<string, AttachmentInfo>} */
  const infos = {}
  const turn = new Turn()
  for (const input of edit.attachments) {
    infos[input.name] = input.stub
      ? await resolveStub(commit, edit, input, before, generation)
      : infoOf(/** @type {Brought} */ (input), edit.path === null ? generation : input.revpos ?? generation)
    if (turn.isLong) await turn.end()
  }
  carryNames(infos, edit.attachments.map(({ name }) => name))
  const stored = storedText(infos)
  const text = stored instanceof Promise ? await stored : stored
  const isHashed = edit.path === null && deterministicRevs === 'couchdb'
  return isHashed && edit.attachments.length > MANY ? { text, infos, term: await attachmentsTerm(infos) } : { text, infos }
}

/** @param {Commit} commit @param {Brought} input */
function toContent (commit, { digest, length, encoding, plainLength, data, upload }) {
  return { digest, content: upload?.content ?? commit.nextContent(), length, plainLength: encoding === null ? null : plainLength ?? length, data, upload }
}

/** @param {string | null} parent */
function generationAfter (parent) {
  return parent === null ? 1 : Number(parent.slice(0, parent.indexOf('-'))) + 1
}

/**
 * The newest ancestor of a replicated revision that is here.
 *
 * @param {DocumentState} state
 * @param {Path} path
 */
function nearestKnown (state, path) {
  for (let i = 0; i < path.ids.length; i++) {
    const rev = `${path.start - i}-${path.ids[i]}`
    if (state.has(rev)) return rev
  }
  return null
}

/** @param {Commit} commit @param {DocumentState} state @param {string | null} parent @param {Edit['as']} as */
async function parentsAttachments (commit, state, parent, as) {
  const payload = parent === null ? undefined : await commit.payload(state, parent)
  const text = payload === undefined || (as !== undefined && !as.readsPayload(state.id, payload)) ? '' : attachmentsOf(payload)
  return text === '' ? {} : parseAttachments(text)
}

/**
 * By name in the revision before, as CouchDB; or by a digest that is stored, as PouchDB. A member gets no content by its digest:
 * it may be of a document that they do not see.
 *
 * @param {Commit} commit
 * @param {Edit} edit
 * @param {AttachmentInput} input
 * @param {Record<string, AttachmentInfo>} before
 * @param {number} generation
 */
async function resolveStub (commit, edit, input, before, generation) {
  const known = Object.hasOwn(before, input.name) ? before[input.name] : undefined
  if (known !== undefined && isSame(known, input)) return known
  const entry = input.digest === null || edit.as !== undefined ? null : await commit.attachments.find(input.digest)
  if (entry === null) {
    throw createError('MISSING_STUB', { reason: `Invalid attachment stub in ${edit.id} for ${input.name}` })
  }
  return infoOf(/** @type {Brought} */ ({ ...input, contentType: input.contentType ?? DEFAULT_TYPE, length: entry.length, ...encodingOf(input, entry) }), input.revpos ?? generation)
}

/**
 * The same bytes may be one document's content, and another's compressed content: a stub that says which
 * it means is believed, except of bytes that were never found to be gzip.
 *
 * @param {AttachmentInput} input
 * @param {Entry} entry
 * @returns {{ encoding: 'gzip' | null, plainLength: number | null }}
 */
function encodingOf (input, { plainLength }) {
  return plainLength !== null && input.encoding !== 'identity' ? { encoding: 'gzip', plainLength: input.plainLength ?? plainLength } : { encoding: null, plainLength: null }
}

/** @param {AttachmentInfo} known @param {AttachmentInput} input */
function isSame (known, input) {
  return input.digest === known.digest || input.revpos === known.revpos || (input.revpos === null && input.digest === null)
}

/** @param {Content} content @param {number} revpos @returns {AttachmentInfo} */
function infoOf ({ contentType, digest, length, encoding, plainLength }, revpos) {
  if (encoding === null) return { contentType, digest, length, revpos }
  return { contentType, digest, length: plainLength ?? length, revpos, encoding, encodedLength: length }
}

module.exports = { resolveAttachments, NO_ATTACHMENTS }
