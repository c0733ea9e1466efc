'use strict'

const { after } = require('./layout')

/** @see https://docs.couchdb.org/en/stable/api/database/common.html#get--db */
async function info (core, database, compactRunning) {
  core.assertOpen()
  const { totals } = core
  const active = totals.records + totals.attachments
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

/** What the level says, and what is known to be stored where it cannot or does not know yet. */
async function storedSize (core, active) {
  const known = active + core.totals.revisions
  const { prefix } = core.layout
  const size = await core.keyspace.approximateSize(prefix, prefix === '' ? '\uffff' : after(prefix))
  return Math.max(size ?? 0, known)
}

module.exports = { info }
