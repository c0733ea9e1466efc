'use strict'

const { partitionOf } = require('../store/partition')
const { PartitionTotals } = require('../commit/partition-totals')
const { DocumentRecord, decodeChange, decodeOrigin } = require('../media/record')
const { Totals } = require('../commit/totals')
const { changeOf, readDocument, writeDocument } = require('./document')

/**
 * @import { Mending } from './mending'
 *
 * @typedef {{ name: string | null, totals: PartitionTotals }} Partition the counts of one; no name: of documents in none
 */

/**
 * Gives each document its change, or a new sequence where another document has it, and counts all
 * documents, by partition too.
 *
 * @param {Mending} mending
 * @param {boolean} partitioned
 * @returns {Promise<Totals>} what there is of documents
 */
async function mendSequences (mending, partitioned) {
  const { layout } = mending
  const totals = new Totals()
  /** @type {Set<number>} */
  const given = new Set()
  /** @type {Partition} */
  let partition = { name: null, totals: new PartitionTotals() }
  for await (const page of mending.entries(layout.range(layout.documents))) {
    for (const [key, text] of page) {
      const stored = await mendSequence(mending, given, layout.idOf(key), key, text)
      count(totals, stored)
      const name = partitioned ? partitionOf(layout.idOf(key)) : null
      if (name !== partition.name) partition = await finish(mending, partition, name)
      partition.totals.count(documentOf(stored))
    }
  }
  await finish(mending, partition, null)
  await mending.flush()
  return totals
}

/**
 * @param {Mending} mending
 * @param {Set<number>} given
 * @param {string} id
 * @param {string} key
 * @param {string} text
 * @returns {Promise<string>} the record as it is stored from now on
 */
async function mendSequence (mending, given, id, key, text) {
  const { layout } = mending
  const { record, tree } = /** @type {NonNullable<ReturnType<typeof readDocument>>} */ (readDocument(text))
  mending.lastTime = Math.max(mending.lastTime, decodeOrigin(record.origin).time)
  const change = await mending.get(layout.sequence(record.seq))
  if (change !== undefined && decodeChange(change).id === id) return text
  if (record.seq > 0 && change === undefined && !given.has(record.seq)) {
    given.add(record.seq)
    await mending.put(layout.sequence(record.seq), changeOf(id, tree))
    return text
  }
  const seq = ++mending.lastSeq
  const moved = writeDocument(tree, seq, record.origin, record.payload)
  await mending.put(key, moved)
  await mending.put(layout.sequence(seq), changeOf(id, tree))
  return moved
}

/** @param {Totals} totals @param {string} text */
function count (totals, text) {
  const { deleted, payload } = new DocumentRecord(text)
  totals.records += Buffer.byteLength(text)
  if (deleted) totals.deleted++
  else {
    totals.live++
    totals.external += Buffer.byteLength(payload)
  }
}

/** @param {string} text */
function documentOf (text) {
  const { deleted, payload } = new DocumentRecord(text)
  return { deleted, size: Buffer.byteLength(text), payload }
}

/**
 * Writes the totals of a partition, whose documents follow each other, and begins those of the next one.
 *
 * @param {Mending} mending
 * @param {Partition} partition
 * @param {string | null} next
 */
async function finish (mending, { name, totals }, next) {
  const { layout } = mending
  if (name !== null) {
    const key = layout.partition(name)
    const text = totals.encode()
    if (await mending.get(key) !== text) await mending.put(key, text)
  }
  return { name: next, totals: new PartitionTotals() }
}

module.exports = { mendSequences }
