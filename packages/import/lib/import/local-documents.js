'use strict'

const { isDeepStrictEqual } = require('node:util')
const { PREFIX } = require('./checkpoint')

/**
 * Notes that databases make for themselves: PouchDB's views, compaction and purges, CouchDB's indexes
 * and shards, and imports.
 */
const BOOKKEEPING = /^_local\/(_pouch_dependentDbs$|mrviews$|indexes$|compaction$|purges$|purge-|shard-sync-)/

/** @param {string} id */
function isBookkeeping (id) {
  return BOOKKEEPING.test(id) || id.startsWith(PREFIX)
}

/**
 * Whether a local document is a replication's checkpoint that holds a plain number. It may be one
 * of this database's, for a replication from it. If documents have other sequences now, such a
 * replication would pass changes over; without it, it compares from the start. A checkpoint with
 * CouchDB's own kind of sequence does no harm: a database that did not give it starts from 0.
 * @param {Record<string, any>} body
 */
function isNumberedCheckpoint ({ last_seq: lastSeq, history }) {
  return typeof lastSeq === 'number' && lastSeq > 0 && Array.isArray(history)
}

/**
 * Copies local documents that are not there, or differ.
 *
 * @param {import('./source').Source} source
 * @param {import('./store-target').Target} target
 * @param {import('./summary').Summary} summary
 * @param {(failure: import('./source').Failure) => void} onFailure
 */
async function copyLocals (source, target, summary, onFailure) {
  for await (const page of source.locals()) {
    const wanted = page.filter(local => admit(local, source, summary, onFailure))
    const stored = await target.getLocals(wanted.map(({ id }) => id))
    const docs = wanted.filter(({ body }, i) => !isDeepStrictEqual(stored[i]?.body, body)).map(({ id, body }) => {
      const before = stored[wanted.findIndex(one => one.id === id)]
      return before === null ? { ...body, _id: id } : { ...body, _id: id, _rev: before.rev }
    })
    const results = docs.length === 0 ? [] : await target.writeLocals(docs)
    results.forEach(({ ok, reason, message }, i) => {
      if (ok) summary.locals++
      else onFailure({ id: docs[i]._id, reason: reason ?? message })
    })
  }
}

/**
 * @param {{ id: string, body: Record<string, any> }} local
 * @param {import('./source').Source} source
 * @param {import('./summary').Summary} summary
 * @param {(failure: import('./source').Failure) => void} onFailure
 */
function admit ({ id, body }, { numbered }, summary, onFailure) {
  if (body === null) {
    onFailure({ id, reason: 'it is not JSON' })
    return false
  }
  const wanted = isWanted(id, body, numbered && !summary.sequencesKept)
  if (!wanted && !isBookkeeping(id)) summary.checkpointsLeftOut++
  return wanted
}

/** @param {string} id @param {Record<string, any>} body @param {boolean} renumbered whether the source's sequences are plain numbers that do not hold here */
function isWanted (id, body, renumbered) {
  return !isBookkeeping(id) && !(renumbered && isNumberedCheckpoint(body))
}

module.exports = { copyLocals, isWanted }
