'use strict'

const { createError } = require('@potoroo/errors')
const { goneDocument } = require('../access/gone')
const { loadAttachments } = require('../attachments/attachments')
const { getAt } = require('../history/at')
const { LARGE } = require('../large-json/attachments')
const { addHistory, availableOf, makeDocument, wantsHistoryAlone, wantsMore, winnersDocument, winnersHistory } = require('./document')
const { othersTurn } = require('./others-turn')
const { requirePartition } = require('../store/partition')
const { DocumentRecord } = require('../media/record')
const { encodeRevision } = require('../revision-tree/revision')
const { Turn } = require('../json/turn')
const { latestOfEach } = require('../revision-tree/leaves')
const { pouchForm } = require('../revision-tree/pouch-form')
const { assertReadable, normaliseRevision } = require('../commit/validate')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Tree, Node } from '../revision-tree/encode'
 * @import { Document, GetOptions, ReadOptions } from '../..'
 * @import { Member } from '../access/member'
 */

const NO_OPTIONS = Object.freeze({})

/**
 * One read serves it, unless an older or losing revision or attachments are asked for.
 *
 * @param {import('../store/core').Core} core
 * @param {string} id
 * @param {import('../..').GetOptions & { onLarge?: () => Snapshot }} [options] onLarge: is told of a document that may have
 *   very many attachments: others write while those are read
 * @param {Snapshot} [snapshot]
 * @returns {Promise<import('../..').Document>} throws MISSING, DELETED
 */
async function get (core, id, options = NO_OPTIONS, snapshot = undefined) {
  if (options.at !== undefined) return getAt(core, id, options)
  if (snapshot === undefined && options !== NO_OPTIONS && needsSnapshot(core, options)) return getFromSnapshot(core, id, options)
  assertReadable(id)
  if (core.partitioned) requirePartition(id)
  const record = await readRecord(core, id, snapshot)
  if (record === null || (options.rev === undefined && isHidden(options.as, id, record))) throw createError('MISSING', { id })
  if (options.onLarge !== undefined && record.size > LARGE) snapshot = options.onLarge()
  if (options.rev !== undefined) return getRevision(core, id, record, options, snapshot)
  if (record.deleted) throw createError('DELETED', { id, rev: record.rev })
  const made = winnersDocument(id, record)
  const document = made instanceof Promise ? await made : made
  return options === NO_OPTIONS ? document : complete(core, document, record, options, snapshot)
}

/**
 * Says whether a call needs a snapshot, as it takes several reads: others write, and drop content, meanwhile.
 *
 * @param {Core} core
 */
function needsSnapshot (core, /** @type {import('../..').ReadOptions} */ { attachments, revsInfo }) {
  return !core.keyspace.sync || attachments === true || revsInfo === true
}

/** @param {Core} core @param {ReadOptions} options */
function snapshotFor (core, options) {
  return needsSnapshot(core, options) ? core.keyspace.snapshot() : undefined
}

/** @param {Core} core @param {string} id @param {GetOptions} options */
async function getFromSnapshot (core, id, options) {
  core.assertOpen()
  const snapshot = core.keyspace.snapshot()
  try {
    return await get(core, id, options, snapshot)
  } finally {
    await snapshot?.close()
  }
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {GetOptions} options
 * @param {Snapshot} [snapshot]
 */
async function getRevision (core, id, record, options, snapshot) {
  const [result] = await readRevisions(core, id, record, [normaliseRevision(/** @type {string} */ (options.rev))], options, snapshot)
  if (result.ok === undefined) throw createError('MISSING', { id })
  return result.ok
}

/** Whether a document is not for who asks. @param {Member | undefined} as @param {string} id @param {DocumentRecord} record */
function isHidden (as, id, record) { return as !== undefined && !as.reads(id, record.access) }

/** @param {Core} core @param {string} id @param {Snapshot} [snapshot] @returns {Promise<DocumentRecord | null>} */
async function readRecord (core, id, snapshot) {
  core.assertOpen()
  const key = core.layout.document(id)
  const text = core.keyspace.sync ? core.keyspace.getSync(key, snapshot) : await core.keyspace.get(key, snapshot)
  return text === undefined ? null : new DocumentRecord(text)
}

/**
 * @param {Core} core
 * @param {Document} document
 * @param {DocumentRecord} record
 * @param {ReadOptions} options
 * @param {Snapshot} [snapshot]
 */
async function complete (core, document, record, options, snapshot) {
  if (wantsMore(options)) await addHistory(core, document, record, options, snapshot)
  if (options.attachments && document.attachments !== null) await loadAttachments(core, document, record, options, snapshot)
  return document
}

/**
 * All leaves, or these revisions in their order.
 *
 * @param {import('../store/core').Core} core
 * @param {string} id
 * @param {'all' | string[]} revs
 * @param {import('../..').ReadOptions & { latest?: boolean }} [options]
 */
async function openRevs (core, id, revs, options = NO_OPTIONS) {
  assertReadable(id)
  const wanted = revs === 'all' ? revs : revs.map(normaliseRevision)
  core.assertOpen()
  const snapshot = snapshotFor(core, options)
  try {
    const record = await readRecord(core, id, snapshot)
    if (record === null) return wanted === 'all' ? [] : wanted.map((rev) => ({ missing: rev }))
    return await readRevisions(core, id, record, wanted, options, snapshot)
  } finally {
    await snapshot?.close()
  }
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {string[] | 'all'} revs
 * @param {any} options
 * @param {Snapshot} [snapshot]
 * @returns {Promise<any[]>} `{ ok }`, or `{ missing }`
 */
async function readRevisions (core, id, record, revs, options, snapshot) {
  const { as } = options
  if (isHidden(as, id, record)) return goneRevisions(core, id, record, revs, options)
  if (revs !== 'all' && revs.length === 1 && revs[0] === record.rev) {
    const document = await winnersDocument(id, record)
    return [{ ok: await complete(core, document, record, options, snapshot) }]
  }
  const tree = record.revisions
  const wanted = revs === 'all' ? record.leaves.map(({ rev }) => rev) : options.latest ? latestRevs(record, revs) : revs
  const nodes = wanted.map((rev) => tree.get(rev))
  const payloads = await payloadsOf(core, id, record, nodes, snapshot)
  const results = []
  const turn = new Turn()
  for (let i = 0; i < nodes.length; i++) {
    if (turn.isLong) await othersTurn(core, turn)
    if (payloads[i] === undefined || isHiddenPayload(as, id, /** @type {string} */ (payloads[i]))) {
      // A leaf that is hidden is not named.
      if (as === undefined || (revs !== 'all' && revs.includes(wanted[i]))) results.push(goneOrMissing(core, id, tree, wanted[i], options))
      continue
    }
    const document = await makeDocument(id, wanted[i], /** @type {Node} */ (nodes[i]).deleted, /** @type {string} */ (payloads[i]))
    results.push({ ok: await complete(core, document, record, options, snapshot) })
  }
  if (results.length === 0 && revs !== 'all' && revs.length > 0) results.push({ missing: revs[0] })
  return results
}

/** @param {Member | undefined} as @param {string} id @param {string} payload */
function isHiddenPayload (as, id, payload) { return as !== undefined && !as.readsPayload(id, payload) }

/**
 * Answers who may not see the document: there is nothing, unless they are told that it went.
 *
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {string[] | 'all'} revs
 * @param {any} options
 */
function goneRevisions (core, id, record, revs, options) {
  return revs === 'all' ? [] : revs.map(rev => goneOrMissing(core, id, record.revisions, rev, options))
}

/** @param {Core} core @param {string} id @param {Tree} tree @param {string} rev @param {any} options @returns {{ ok: Document } | { missing: string }} */
function goneOrMissing (core, id, tree, rev, options) {
  const ok = options.as === undefined ? null : goneDocument(core, id, tree, rev, options)
  return ok === null ? { missing: rev } : { ok }
}

/**
 * Each revision gives way to all leaves that descend from it; each of those comes once.
 *
 * @param {DocumentRecord} record
 * @param {string[]} revs
 */
function latestRevs (record, revs) {
  const nodes = revs.map((rev) => record.revisions.get(rev))
  const latest = latestOfEach(record.leaves, nodes)
  const found = new Set()
  for (let i = 0; i < revs.length; i++) {
    const node = nodes[i]
    if (node === undefined) found.add(revs[i])
    else for (const leaf of latest.get(node) ?? []) found.add(leaf.rev)
  }
  return [...found]
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {Array<Node | undefined>} nodes
 * @param {Snapshot} [snapshot]
 */
async function payloadsOf (core, id, record, nodes, snapshot) {
  const winner = record.rev
  const others = /** @type {Node[]} */ (nodes.filter((node) => node !== undefined && node.rev !== winner))
  const keys = others.map((node) => core.layout.revision(id, encodeRevision(node.rev)))
  const texts = keys.length === 0 ? [] : await core.keyspace.getMany(keys, snapshot)
  const byRev = new Map(others.map((node, i) => [node.rev, texts[i]]))
  byRev.set(winner, record.payload)
  return nodes.map((node) => node === undefined ? undefined : byRev.get(node.rev))
}

/**
 * One answer per request, aligned. With `latest` a revision may have given way to several leaves: those
 * after the first are `others`.
 *
 * @param {import('../store/core').Core} core
 * @param {Array<{ id: string, rev?: string, attsSince?: string[] }>} requests
 * @param {import('../..').ReadOptions & { latest?: boolean }} [options]
 */
async function bulkGet (core, requests, options = NO_OPTIONS) {
  core.assertOpen()
  let snapshot = snapshotFor(core, options)
  try {
    const keys = requests.map(({ id }) => core.layout.readable(id))
    const texts = await core.keyspace.getMany(keys, snapshot)
    // Others write while very many attachments are read.
    if (texts.some((text) => text !== undefined && text.length > LARGE)) snapshot ??= core.keyspace.snapshot()
    const results = new Array(requests.length)
    const plain = (!wantsMore(options) && !options.attachments) || wantsHistoryAlone(options)
    const turn = new Turn()
    // Several revisions of a document are often asked for together, and its tree may be long: it is decoded once for those that follow each other.
    /** @type {DocumentRecord | null} */
    let record = null
    let recordAt = -1
    for (let i = 0; i < requests.length; i++) {
      if (turn.isLong) await othersTurn(core, turn)
      // Most have been read by now; waiting for each would cost more than the reading.
      const winner = plain ? winnerOf(core, requests[i], texts[i], options) : null
      if (winner === null) {
        if (requests[recordAt]?.id !== requests[i].id) record = recordOf(texts[i])
        recordAt = i
        results[i] = await answer(core, requests[i], record, options, snapshot)
      } else results[i] = { ok: winner instanceof Promise ? await winner : winner }
    }
    return results
  } finally {
    await snapshot?.close()
  }
}

/**
 * The winner with its history, if that is all that is asked for; null where it takes more than a look at its record.
 *
 * @param {Core} core
 * @param {{ id: string, rev?: string }} request
 * @param {string | undefined} text
 * @param {ReadOptions} options
 * @returns {Document | Promise<Document> | null}
 */
function winnerOf (core, { id, rev }, text, { as, revs }) {
  if (text === undefined) return null
  const record = new DocumentRecord(text)
  if ((rev === undefined ? record.deleted : rev !== record.rev) || isHidden(as, id, record)) return null
  if (revs !== true) return winnersDocument(id, record)
  const revisions = winnersHistory(core, record)
  if (revisions === null) return null
  const document = winnersDocument(id, record)
  return document instanceof Promise ? document.then((each) => Object.assign(each, { revisions })) : Object.assign(document, { revisions })
}

/** @param {string | undefined} text */
function recordOf (text) { return text === undefined ? null : new DocumentRecord(text) }

/**
 * @param {Core} core
 * @param {{ id: string, rev?: string, attsSince?: string[] }} request
 * @param {DocumentRecord | null} record
 * @param {ReadOptions} options
 * @param {Snapshot} [snapshot]
 */
async function answer (core, request, record, options, snapshot) {
  const own = request.attsSince === undefined ? options : { ...options, attsSince: request.attsSince }
  try {
    assertReadable(request.id)
    if (record === null) throw createError('MISSING', { id: request.id })
    return await answerFrom(core, request, record, own, snapshot)
  } catch (error) {
    // The storage fails here, and not this one request.
    if (error.status === undefined || error.status >= 500) throw error
    return request.rev === undefined ? { error } : { error, rev: request.rev }
  }
}

/**
 * @param {Core} core
 * @param {{ id: string, rev?: string }} request
 * @param {DocumentRecord} record
 * @param {any} options
 * @param {Snapshot} [snapshot]
 */
async function answerFrom (core, { id, rev }, record, options, snapshot) {
  if (rev === undefined) {
    if (isHidden(options.as, id, record)) throw createError('MISSING', { id })
    if (record.deleted) throw createError('DELETED', { id, rev: record.rev })
    return { ok: await complete(core, await winnersDocument(id, record), record, options, snapshot) }
  }
  const [{ ok }, ...rest] = await readRevisions(core, id, record, [normaliseRevision(rev)], options, snapshot)
  if (ok === undefined) throw createError('MISSING', { id, rev })
  const others = rest.flatMap((result) => result.ok ?? [])
  return others.length === 0 ? { ok } : { ok, others }
}

/**
 * The tree in pouchdb-merge's form.
 *
 * @param {Core} core
 * @param {string} id
 */
async function getRevisionTree (core, id) {
  assertReadable(id)
  const record = await readRecord(core, id)
  if (record === null) throw createError('MISSING', { id })
  const tree = record.revisions
  const revs = [...tree.keys()]
  const available = await availableOf(core, id, revs, record)
  const stored = new Set(revs.filter((rev, i) => available[i]))
  return pouchForm(tree, (rev) => stored.has(rev))
}

module.exports = { isHidden, get, openRevs, bulkGet, getRevisionTree, readRecord, complete }
