'use strict'

const { after } = require('../media/layout')

/**
 * @import { Core } from './core'
 * @import { DatabaseRecord } from '../media/meta'
 */

/**
 * @param {Core} core
 * @param {DatabaseRecord} database
 * @param {boolean} compactRunning
 * @returns {Promise<import('../..').Info>}
 * @see https://docs.couchdb.org/en/stable/api/database/common.html#get--db
 */
async function info (core, database, compactRunning) {
  core.assertOpen()
  const { totals } = core
  const active = totals.records + totals.history + totals.attachments
  return {
    docCount: totals.live,
    docDelCount: totals.deleted,
    updateSeq: totals.seq,
    purgeSeq: totals.purgeSeq,
    instanceId: database.instanceId,
    createdAt: database.createdAt,
    compactRunning,
    sizes: { active, external: totals.external + totals.attachments, file: await storedSize(core, active) }
  }
}

/** Bytes of a record that nobody counts: keys, and the entry among the changes. */
const RECORD = 64

/**
 * Returns the size that the level says, or what is known to be stored if it cannot say or does not know yet.
 *
 * @param {Core} core
 * @param {number} active
 */
async function storedSize (core, active) {
  const { live, deleted, bodies, revisions, versions } = core.totals
  const known = active + revisions + RECORD * (1 + live + deleted + bodies + versions)
  const { prefix } = core.layout
  const size = await core.keyspace.approximateSize(prefix, prefix === '' ? '\uffff' : after(prefix))
  return Math.max(size ?? 0, known)
}

module.exports = { info }
