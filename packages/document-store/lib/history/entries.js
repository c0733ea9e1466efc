'use strict'

const { createError } = require('@potoroo/errors')
const { assertReadable } = require('../commit/validate')
const { DocumentRecord } = require('../media/record')
const { validLimit } = require('../reading/limit')
const { requirePartition } = require('../store/partition')
const { notRetained } = require('./moment')
const { patchBetween } = require('./patch')
const { presentVersion } = require('./version')
const { versionPages } = require('./version-rows')

/**
 * @import { HistoryEntry } from '../..'
 * @import { Core } from '../store/core'
 * @import { Member } from '../access/member'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Version } from './version'
 *
 * @typedef {Version & { payload: string | null }} Known a version; its payload is null where it is lost
 */

/**
 * Lists the versions of a document, the latest first, each with what made it of the one before.
 *
 * @param {Core} core
 * @param {string} id
 * @param {{ limit?: number, as?: Member }} [options] as: a member, who sees what is theirs now and was then
 * @returns {AsyncGenerator<HistoryEntry[], void>} throws MISSING, NOT_RETAINED
 */
async function * historyOf (core, id, { limit, as } = {}) {
  assertReadable(id)
  core.assertOpen()
  if (core.partitioned) requirePartition(id)
  if (core.retention === null) throw notRetained({ reason: 'The database keeps no history' })
  let left = limit === undefined ? Infinity : validLimit(limit, 'limit')
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    let newer = null
    for await (const version of versionsOf(core, id, snapshot, as)) {
      if (newer !== null) {
        yield [await entryOf(newer, version, as)]
        if (--left === 0) return
      }
      newer = version
    }
    yield [await entryOf(/** @type {Known} */ (newer), null, as)]
  } finally {
    await release()
  }
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {Snapshot} snapshot
 * @param {Member | undefined} as
 * @returns {AsyncGenerator<Known, void>} the present one at least
 */
async function * versionsOf (core, id, snapshot, as) {
  const text = await core.keyspace.get(core.layout.document(id), snapshot)
  if (text === undefined || (as !== undefined && !as.reads(id, new DocumentRecord(text).access))) throw createError('MISSING', { id })
  /** @type {Known} */
  let newer = presentVersion(new DocumentRecord(text))
  yield newer
  for await (const page of versionPages(core, id, { snapshot })) {
    for (const { version } of page) {
      core.assertOpen()
      newer = { ...version, payload: version.payload ?? (follows(version, newer) && version.rev === newer.rev ? newer.payload : null) }
      if (as === undefined || (newer.payload !== null && as.readsPayload(id, newer.payload))) yield newer
      await core.keyspace.turn()
    }
  }
}

/** Whether nothing was between two versions. @param {Version} older @param {Version} newer */
function follows (older, newer) { return older.until === newer.seq }

/**
 * @param {Known} version
 * @param {Known | null} older
 * @param {Member | undefined} as
 * @returns {Promise<HistoryEntry>}
 */
async function entryOf (version, older, as) {
  const { seq, time, user, rev, deleted, payload } = version
  const entry = { ...(as === undefined && { seq }), time, user, rev, deleted }
  if (older === null || !follows(older, version) || payload === null || older.payload === null) return entry
  return { ...entry, patch: await patchBetween(older.payload, payload) }
}

module.exports = { historyOf }
