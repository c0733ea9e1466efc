'use strict'

const { attachmentsOf, bodyOf, decodeOrigin } = require('../media/record')
const { isLinear, linearPath } = require('../revision-tree/linear')
const { historyOf } = require('../revision-tree/leaves')
const { encodeRevision } = require('../revision-tree/revision')
const { readAttachments } = require('../large-json/attachments')

/**
 * @import { Path, Node } from '../revision-tree/encode'
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { DocumentRecord } from '../media/record'
 * @import { Document, ReadOptions } from '../..'
 */

/**
 * Makes the `Document` of a revision from its payload.
 *
 * @param {string} id
 * @param {string} rev
 * @param {boolean} deleted
 * @param {string} payload
 * @returns {Document | Promise<Document>} a promise of one with very many attachments, which are read in turns
 */
function makeDocument (id, rev, deleted, payload) {
  const attachments = readAttachments(attachmentsOf(payload))
  const body = bodyOf(payload)
  return attachments instanceof Promise ? withAttachments({ id, rev, deleted, body, attachments: null }, attachments) : { id, rev, deleted, body, attachments }
}

/**
 * The same of the winner.
 *
 * @param {string} id
 * @param {import('../media/record').DocumentRecord} record
 * @returns {Document | Promise<Document>}
 */
function winnersDocument (id, record) {
  const attachments = readAttachments(record.attachments)
  if (attachments instanceof Promise) return withAttachments({ id, rev: record.rev, deleted: record.deleted, body: record.body, attachments: null }, attachments)
  return { id, rev: record.rev, deleted: record.deleted, body: record.body, attachments }
}

/** @param {Document} document @param {Promise<NonNullable<Document['attachments']>>} attachments @returns {Promise<Document>} */
async function withAttachments (document, attachments) {
  document.attachments = await attachments
  return document
}

/**
 * Whether options ask for more than the revision itself.
 *
 * @param {ReadOptions} options
 */
function wantsMore (options) {
  return options.revs === true || options.revsInfo === true || options.conflicts === true ||
    options.deletedConflicts === true || options.localSeq === true || options.meta === true
}

/**
 * Whether `winnersHistory` gives all that options ask for.
 *
 * @param {ReadOptions} options
 */
function wantsHistoryAlone (options) {
  return options.revs === true && !options.attachments && !options.revsInfo && !options.conflicts && !options.deletedConflicts &&
    !options.localSeq && !options.meta
}

/**
 * The history of the winner where there are no branches, which takes no tree in memory.
 *
 * @param {Core} core
 * @param {DocumentRecord} record
 * @returns {Path | null}
 */
function winnersHistory (core, record) {
  const { rest } = record
  return isLinear(rest) ? linearPath(record.rev, rest, core.revsLimit) : null
}

/**
 * Adds what the revision tree says, as far as asked for.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../..').Document} document
 * @param {import('../media/record').DocumentRecord} record
 * @param {import('../..').ReadOptions} options
 * @param {Snapshot} [snapshot]
 */
async function addHistory (core, document, record, options, snapshot) {
  // Sequences count what others write, too.
  if (options.localSeq && options.as === undefined) document.localSeq = record.seq
  if (options.meta && document.rev === record.rev) document.meta = originOf(record, options.as)
  const single = isLinear(record.rest)
  if (single && !options.revs && !options.revsInfo) return
  const node = /** @type {Node} */ (record.revisions.get(document.rev))
  if (options.revs) document.revisions = cut(historyOf(node), core.revsLimit)
  if (options.revsInfo) document.revsInfo = await revsInfoOf(core, document.id, record, node, options, snapshot)
  if (!single && (options.conflicts || options.deletedConflicts)) await addConflicts(core, document, record, options, snapshot)
}

/**
 * Returns what the last change of a document was.
 *
 * @param {DocumentRecord} record
 * @param {ReadOptions['as']} as
 * @returns {import('../..').Origin} to a member without its sequence, which counts what others write, too
 */
function originOf (record, as) {
  const origin = decodeOrigin(record.origin)
  return as === undefined ? { ...origin, seq: record.seq } : origin
}

/**
 * A limit that was lowered holds at once, though a history is cut at its next write.
 *
 * @param {Path} path
 * @param {number} limit
 */
function cut ({ start, ids }, limit) {
  return { start, ids: ids.length > limit ? ids.slice(0, limit) : ids }
}

/** @param {Core} core @param {Document} document @param {DocumentRecord} record @param {ReadOptions} options @param {Snapshot} [snapshot] */
async function addConflicts (core, document, record, options, snapshot) {
  const losers = await seenLosers(core, document.id, record, options.as, snapshot)
  const live = losers.filter((leaf) => !leaf.deleted).map((leaf) => leaf.rev)
  const dead = losers.filter((leaf) => leaf.deleted).map((leaf) => leaf.rev)
  if (options.conflicts && live.length > 0) document.conflicts = live
  if (options.deletedConflicts && dead.length > 0) document.deletedConflicts = dead
}

/** Records, each of which is read for one user → the leaves that they may see. @type {WeakMap<DocumentRecord, { as: ReadOptions['as'], losers: Promise<Node[]> }>} */
const seen = new WeakMap()

/**
 * The leaves of a record that do not win, as far as a user may see them: read once, however many revisions of it are.
 *
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {ReadOptions['as']} as
 * @param {Snapshot} [snapshot]
 * @returns {Promise<Node[]>}
 */
function seenLosers (core, id, record, as, snapshot) {
  const known = seen.get(record)
  if (known !== undefined && known.as === as) return known.losers
  const losers = seenLeaves(core, id, record.leaves.slice(1), as, snapshot)
  seen.set(record, { as, losers })
  return losers
}

/**
 * Picks the leaves that a user may see, of those that do not win.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Node[]} losers
 * @param {Pick<import('../access/member').Member, 'readsPayload'> | undefined} as
 * @param {Snapshot} [snapshot]
 */
async function seenLeaves (core, id, losers, as, snapshot) {
  if (as === undefined || losers.length === 0) return losers
  const payloads = await core.keyspace.getMany(losers.map(({ rev }) => core.layout.revision(id, encodeRevision(rev))), snapshot)
  return losers.filter((_, i) => payloads[i] !== undefined && as.readsPayload(id, /** @type {string} */ (payloads[i])))
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {Node} node
 * @param {ReadOptions} options
 * @param {Snapshot} [snapshot]
 * @returns {Promise<import('../..').Document['revsInfo']>}
 */
async function revsInfoOf (core, id, record, node, { as }, snapshot) {
  const nodes = []
  for (let at = /** @type {Node | null} */ (node); at !== null; at = at.parent) nodes.push(at)
  const available = await availableOf(core, id, nodes.map((at) => at.rev), record, as, snapshot)
  return nodes.map(({ rev, deleted }, i) => ({ rev, status: !available[i] ? 'missing' : deleted ? 'deleted' : 'available' }))
}

/**
 * Which revisions' bodies are stored.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string[]} revs
 * @param {DocumentRecord} record
 * @param {import('../access/member').Member} [as] who asks: bodies that they may not see are not there
 * @param {Snapshot} [snapshot]
 */
async function availableOf (core, id, revs, record, as, snapshot) {
  const winner = record.rev
  const payloads = await core.keyspace.getMany(revs.map((rev) => core.layout.revision(id, encodeRevision(rev))), snapshot)
  return revs.map((rev, i) => rev === winner || (payloads[i] !== undefined && (as === undefined || as.readsPayload(id, /** @type {string} */ (payloads[i])))))
}

module.exports = { makeDocument, originOf, wantsHistoryAlone, winnersDocument, winnersHistory, wantsMore, addHistory, availableOf, seenLeaves }
