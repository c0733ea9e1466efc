'use strict'

const { createError } = require('@potoroo/errors')
const { parseInOrder } = require('../json/sent-names')
const { winnersDocument } = require('./document')
const { LARGE } = require('../large-json/attachments')
const { DocumentRecord, attachmentsOf, bodyOf } = require('../media/record')
const { isLinear } = require('../revision-tree/linear')
const { encodeRevision } = require('../revision-tree/revision')
const { assertReadable } = require('../commit/validate')

/**
 * Reads without waiting: for objects that stand for documents, whose members are there when they are asked for, and for
 * queries that have little to read.
 *
 * @import { Core } from '../store/core'
 * @import { Document } from '../..'
 */

/**
 * @param {Core} core
 * @param {string} id
 * @returns {Document | null} the winner, deleted or not
 */
function getSync (core, id) {
  const record = readRecord(core, id)
  return record && winner(id, record)
}

/**
 * @param {Core} core
 * @param {string} id
 * @returns {Document[]} the live leaves that did not win
 */
function conflictsSync (core, id) {
  const record = readRecord(core, id)
  if (record === null || isLinear(record.rest)) return []
  return record.leaves.filter(({ rev, deleted }) => !deleted && rev !== record.rev).map(({ rev }) => {
    const payload = /** @type {string} */ (core.keyspace.getSync(core.layout.revision(id, encodeRevision(rev))))
    return { id, rev, deleted: false, body: bodyOf(payload), attachments: attachmentsIn(attachmentsOf(payload)) }
  })
}

/**
 * @param {Core} core
 * @param {{ after?: string, limit: number }} options
 * @returns {Document[]} live ones, in the order of their ids; fewer than `limit` only at the end
 */
function pageSync (core, { after, limit }) {
  assertReads(core)
  const { layout } = core
  const { gte, lt } = layout.range(layout.documents)
  /** @type {Document[]} */
  const page = []
  let start = after === undefined ? { gte } : { gt: layout.document(after) }
  while (page.length < limit) {
    const wanted = limit - page.length
    const entries = core.keyspace.entriesSync({ ...start, lt, limit: wanted })
    for (const [key, text] of entries) {
      const record = new DocumentRecord(text)
      if (!record.deleted) page.push(winner(layout.idOf(key), record))
    }
    if (entries.length < wanted) break
    start = { gt: entries[entries.length - 1][0] }
  }
  return page
}

/**
 * Reads live winners without waiting; undefined where the level makes one wait, and where a document is long.
 *
 * @param {Core} core
 * @param {string[]} ids
 * @param {import('../media/keyspace').Snapshot} [snapshot] of a level that answers at once
 * @returns {Array<Document | undefined> | undefined} aligned; undefined in the place of one that is not there, or deleted
 */
function winnersSync (core, ids, snapshot) {
  core.assertOpen()
  if (!core.keyspace.sync && snapshot === undefined) return undefined
  const documents = new Array(ids.length)
  for (let i = 0, units = 0; i < ids.length; i++) {
    const text = core.keyspace.getSync(core.layout.readable(ids[i]), snapshot)
    if (text === undefined) continue
    units += text.length
    if (units > LARGE) return undefined
    const record = new DocumentRecord(text)
    if (!record.deleted) documents[i] = winnersDocument(ids[i], record)
  }
  return documents
}

/** @param {Core} core @param {string} id */
function readRecord (core, id) {
  assertReads(core)
  assertReadable(id)
  const text = core.keyspace.getSync(core.layout.document(id))
  return text === undefined ? null : new DocumentRecord(text)
}

/** @param {Core} core */
function assertReads (core) {
  core.assertOpen()
  if (!core.keyspace.reads) throw createError('NOT_IMPLEMENTED', { reason: 'Only a database in persistent memory can be read without waiting' })
}

/** @param {string} id @param {DocumentRecord} record @returns {Document} */
function winner (id, record) {
  return { id, rev: record.rev, deleted: record.deleted, body: record.body, attachments: attachmentsIn(record.attachments) }
}

/** @param {string} text */
function attachmentsIn (text) { return text === '' ? null : parseInOrder(text) }

module.exports = { conflictsSync, getSync, pageSync, winnersSync }
