'use strict'

const { randomHex } = require('../revision-tree/revision')
const { accessFaults } = require('../check/access')
const { isJson, isObject } = require('../check/payload')
const { isRetention } = require('../history/retention')
const { after } = require('../media/layout')
const { decodeLocal } = require('../store/local-documents')
const { newDatabase } = require('../media/meta')
const { PartitionTotals } = require('../commit/partition-totals')
const { Totals } = require('../commit/totals')
const { LAYOUT_VERSION } = require('../media/upgrade')

/**
 * @import { Mending } from './mending'
 */

/**
 * Removes keys that belong to none of the stores.
 *
 * @param {Mending} mending
 * @returns {AsyncGenerator<import('../..').Loss>}
 */
async function * removeForeignKeys (mending) {
  const { layout } = mending
  const ranges = []
  let range = layout.all()
  for (const store of layout.stores) {
    ranges.push({ ...range, lt: store })
    range = { ...range, gte: after(store) }
  }
  for (const each of [...ranges, range]) {
    for await (const page of mending.keys(each)) for (const key of page) yield * removeAlien(mending, key)
  }
  await mending.flush()
}

/** @param {Mending} mending @param {string} key @returns {AsyncGenerator<import('../..').Loss>} */
async function * removeAlien (mending, key) {
  yield { kind: 'key', key }
  await mending.remove(key)
}

/**
 * Removes local documents and purges that are damaged.
 *
 * @param {Mending} mending
 * @returns {AsyncGenerator<import('../..').Loss>}
 */
async function * mendLocalsAndPurges (mending) {
  const { layout } = mending
  for (const store of [layout.locals, layout.ownLocals]) {
    for await (const page of mending.entries(layout.range(store))) {
      for (const [key, text] of page) {
        const { id, rev, body } = decodeLocal(layout.idOf(key), text)
        if (/^0-[1-9]\d*$/.test(rev) && isObject(body)) continue
        yield { kind: 'local', id }
        await mending.remove(key)
      }
    }
  }
  for await (const page of mending.entries(layout.range(layout.purges))) {
    for (const [key, text] of page) {
      const seq = layout.purgeOf(key)
      if (layout.purge(seq) === key && isPurge(text)) continue
      yield { kind: 'purge', key }
      await mending.remove(key)
    }
  }
  await mending.flush()
}

/** @param {string} text */
function isPurge (text) {
  try {
    const [id, revs] = JSON.parse(text)
    return typeof id === 'string' && Array.isArray(revs) && revs.length > 0
  } catch {
    return false
  }
}

/**
 * Removes totals of partitions that have no documents, or of a database that has no partitions.
 *
 * @param {Mending} mending
 * @param {boolean} partitioned
 */
async function removePartitions (mending, partitioned) {
  const { layout } = mending
  for await (const page of mending.entries(layout.range(layout.partitions))) {
    for (const [key, text] of page) {
      if (!partitioned || !await hasDocuments(mending, key.slice(layout.partitions.length)) || text !== new PartitionTotals(text).encode()) await mending.remove(key)
    }
  }
  await mending.flush()
}

/** @param {Mending} mending @param {string} name */
async function hasDocuments ({ keyspace, layout }, name) {
  const first = layout.document(`${name}:`)
  const [key] = await keyspace.keys({ gte: first, lt: after(first), limit: 1 }).all()
  return key !== undefined
}

/**
 * Lists documents for those who may see them, and for nobody else.
 *
 * @param {Mending} mending
 * @param {boolean} byDocument
 */
async function mendAccess (mending, byDocument) {
  for await (const { key, text } of accessFaults(mending, byDocument)) {
    if (text === undefined) await mending.remove(key)
    else await mending.put(key, text)
  }
  await mending.flush()
}

/**
 * Reads the database's own record, or makes it again if it is lost.
 *
 * @param {Mending} mending
 * @returns {Promise<{ database: Record<string, any>, isLost: boolean, isLeaving: boolean }>} isLeaving:
 *   the database is being deleted
 */
async function readOwnRecord (mending) {
  const { keyspace, layout } = mending
  const [text, leaving] = await mending.getMany([layout.meta('database'), layout.meta('destroying')])
  const [partition] = await keyspace.keys({ ...layout.range(layout.partitions), limit: 1 }).all()
  const [seen] = await keyspace.keys({ ...layout.range(layout.access), limit: 1 }).all()
  const database = text !== undefined && isObject(text) ? JSON.parse(text) : null
  const isLost = database === null || !Number.isSafeInteger(database.version) || database.version > LAYOUT_VERSION || typeof database.instanceId !== 'string'
  if (!isLost) return { database, isLost, isLeaving: leaving !== undefined }
  return { database: newDatabase({ revsLimit: 1000, partitioned: partition !== undefined, access: seen !== undefined }), isLost, isLeaving: leaving !== undefined }
}

/**
 * Removes values that are none of a database's, and those that are no JSON.
 *
 * @param {Mending} mending
 * @returns {AsyncGenerator<import('../..').Loss>}
 */
async function * mendValues (mending) {
  const { layout } = mending
  for await (const page of mending.entries(layout.range(layout.metas))) {
    for (const [key, text] of page) {
      const name = key.slice(layout.metas.length)
      if (name === 'database' || name === 'state' || (name === 'history' && isRetention(text)) || (name.startsWith('user:') && isJson(text))) continue
      yield { kind: 'value', name: name.replace(/^user:/, '') }
      await mending.remove(key)
    }
  }
}

/**
 * Writes the totals, and the database's record: with a new instance id where anything was changed, so
 * that whoever follows the database by its sequences begins again.
 *
 * @param {import('./mending').Mending} mending
 * @param {Record<string, any>} database
 * @param {Totals} totals of documents and attachments
 * @param {boolean} renew
 */
async function settleMeta (mending, database, totals, renew) {
  const { layout } = mending
  const stored = await mending.get(layout.state)
  const before = Totals.isText(stored) ? new Totals(stored) : new Totals()
  totals.revisions = mending.revisions
  totals.bodies = mending.bodies
  totals.versions = mending.versions
  totals.history = mending.history
  totals.time = Math.max(before.time, mending.lastTime)
  totals.seq = Math.max(before.seq, mending.lastSeq)
  totals.purgeSeq = Math.max(before.purgeSeq, await lastPurge(mending))
  if (mending.changed) await forgetMoments(mending, totals)
  const text = totals.encode()
  if (stored !== text) await mending.put(layout.state, text)
  const own = JSON.stringify({ ...database, version: LAYOUT_VERSION, ...((mending.changed || renew) && { instanceId: randomHex() }) })
  if (await mending.get(layout.meta('database')) !== own) await mending.put(layout.meta('database'), own)
  await mending.flush()
}

/**
 * Notes that what was before is not all there any more.
 *
 * @param {Mending} mending
 * @param {Totals} totals
 */
async function forgetMoments (mending, { seq, time }) {
  const key = mending.layout.meta('history')
  const text = await mending.get(key)
  if (text !== undefined) await mending.put(key, JSON.stringify({ ...JSON.parse(text), since: seq, sinceTime: time }))
}

/** @param {Mending} mending */
async function lastPurge ({ keyspace, layout }) {
  const [key] = await keyspace.keys({ ...layout.range(layout.purges), reverse: true, limit: 1 }).all()
  return key === undefined ? 0 : layout.purgeOf(key)
}

module.exports = { mendAccess, mendLocalsAndPurges, mendValues, readOwnRecord, removeForeignKeys, removePartitions, settleMeta }
