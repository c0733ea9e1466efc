'use strict'

const { KeptAttachments } = require('./attachments')
const { mendBodies } = require('./bodies')
const { mendChanges } = require('./changes')
const { mendDocuments } = require('./documents')
const { Mending } = require('./mending')
const { mendAccess, mendLocalsAndPurges, mendValues, readOwnRecord, removeForeignKeys, removePartitions, settleMeta } = require('./rest')
const { mendSequences } = require('./sequences')
const { sweep } = require('./sweep')
const { mendVersions } = require('./versions')

/**
 * Makes a database sound of which records are lost or damaged, in place; nobody may have it open.
 * Whole parts stay as they are. A document whose latest revision is lost goes back to the last one
 * that is whole, an attachment that is lost is taken out of its documents, and what can be worked out
 * from the rest is: sequences, totals, counts of references. Rows of indexes are removed, and are made
 * again when they are needed. Stopped anywhere, it can be done again.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, renew?: boolean }} [options] the prefix of the database; `renew`: give it
 *   a new instance id even if nothing had to be mended
 * @returns {AsyncGenerator<import('../..').Loss>} what is lost
 */
async function * mend (level, { prefix = '', renew = false } = {}) {
  const mending = new Mending(level, prefix)
  const { layout } = mending
  yield * sweep(mending)
  const { database, isLost, isLeaving } = await readOwnRecord(mending)
  if (isLeaving) return
  mending.accessKey = database.accessKey ?? ''
  if (isLost) yield { kind: 'database' }
  yield * removeForeignKeys(mending)
  await mending.keyspace.clear(layout.range(layout.indexes))
  const attachments = new KeptAttachments(mending)
  await attachments.load()
  yield * mendDocuments(mending, attachments)
  const lost = await mendChanges(mending)
  yield * mendBodies(mending, attachments, lost)
  for (const [id, { leaves }] of lost) yield { kind: 'document', id, lostRev: leaves[0] }
  const totals = await mendSequences(mending, database.partitioned === true)
  yield * mendVersions(mending, attachments)
  yield * attachments.settle()
  totals.attachments = attachments.bytes
  await removePartitions(mending, database.partitioned === true)
  await mendAccess(mending, database.accessKey !== undefined)
  yield * mendLocalsAndPurges(mending)
  yield * mendValues(mending)
  await settleMeta(mending, database, totals, renew)
}

module.exports = { mend }
