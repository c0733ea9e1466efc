'use strict'

const { badRequest } = require('@potoroo/errors')
const { namesOf } = require('../json/carried-text')
const { del } = require('../media/keyspace')
const { validLimit } = require('../reading/limit')
const { requirePartition } = require('../store/partition')
const { setOwn } = require('../json/set-own')
const { isStorable } = require('./storable')
const { Turn, inTurns, mapInTurns } = require('../json/turn')
const { LOCAL, normaliseRevision } = require('./validate')

/**
 * @import { Core } from '../store/core'
 * @import { Commit } from './commit'
 */

/** Documents of one commit: nobody else runs while it is put together. */
const MOST = 500

/**
 * Removes leaf revisions as though they had never been, with their history up to where it
 * branches; a document whose last leaf goes is gone. Revisions that are no leaves are left alone, and so are local
 * documents; that they were asked for is remembered. A request is one commit, or several where it names
 * many documents.
 *
 * @param {import('../store/core').Core} core
 * @param {Record<string, string[]>} request revisions by id
 * @param {import('../..').PurgeOptions} [options]
 * @returns {Promise<import('../..').PurgeResult>} nothing of what was taken
 * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-purge
 */
async function purge (core, request, { purgedInfosLimit = core.options.purgedInfosLimit, take } = {}) {
  core.assertOpen()
  const limit = validLimit(purgedInfosLimit, 'purged_infos_limit')
  const ids = namesOf(request)
  if (core.partitioned) await inTurns(ids, requirePartition)
  const parsed = mapInTurns(ids, (id) => parseRevs(id, request[id]))
  const revs = parsed instanceof Promise ? await parsed : parsed
  /** @type {import('../..').PurgeResult} */
  const result = { purgeSeq: core.totals.purgeSeq, purged: {}, gone: {}, erased: [] }
  const turn = new Turn()
  let from = 0
  do {
    const part = ids.slice(from, from + MOST)
    const { purgeSeq, results } = await purgePart(core, part, revs.slice(from, from + MOST), limit)
    result.purgeSeq = purgeSeq
    if (take === undefined) addPart(result, part, results)
    else take(part.map((id, i) => [id, results[i].purged]))
    from += MOST
    if (turn.isLong) await turn.end()
  } while (from < ids.length)
  return result
}

/**
 * @param {Core} core
 * @param {string[]} ids
 * @param {string[][]} revs
 * @param {number} limit
 * @returns {Promise<{ purgeSeq: number, results: any[] }>}
 */
function purgePart (core, ids, revs, limit) {
  return core.queue.push({
    keys: ids.filter(isStorable).map((id) => core.layout.document(id)),
    alone: true,
    kept: 'all',
    /** @param {Commit} commit */
    async apply (commit) {
      const results = []
      for (let i = 0; i < ids.length; i++) results.push(isStorable(ids[i]) ? await commit.purge(ids[i], revs[i]) : nothing)
      await trim(core, commit, limit)
      return { purgeSeq: commit.totals.purgeSeq, results }
    }
  })
}

/** @param {import('../..').PurgeResult} result @param {string[]} ids @param {any[]} results */
function addPart (result, ids, results) {
  for (let i = 0; i < ids.length; i++) {
    setOwn(result.purged, ids[i], results[i].purged)
    setOwn(result.gone, ids[i], results[i].gone)
    if (results[i].erased) result.erased.push(ids[i])
  }
}

const nothing = { purged: [], gone: [], erased: false }

/**
 * Revisions of a local document may begin with 0.
 *
 * @param {string} id
 * @param {string[]} revs
 */
function parseRevs (id, revs) {
  if (!Array.isArray(revs)) throw badRequest('Revisions to purge must be a list')
  return revs.map((rev) => id.startsWith(LOCAL) && LOCAL_REVISION.test(rev) ? rev : normaliseRevision(rev))
}

const LOCAL_REVISION = /^0-\d{1,15}$/

/**
 * Forgets the oldest purges beyond the limit.
 *
 * @param {Core} core
 * @param {Commit} commit
 * @param {number} limit
 */
async function trim (core, commit, limit) {
  const { layout } = core
  const oldest = commit.totals.purgeSeq - limit + 1
  if (oldest <= 1) return
  const keys = await core.keyspace.keys({ gte: layout.range(layout.purges).gte, lt: layout.purge(oldest) }).all()
  for (const key of keys) commit.add(del(key))
}

/**
 * The purges after a purge sequence, as far as they are remembered. Whoever keeps rows of documents
 * takes those of `id` again; one who is behind `oldest - 1` has missed some and starts again.
 *
 * @param {import('../store/core').Core} core
 * @param {{ since?: number }} [options]
 * @returns {Promise<{ oldest: number, last: number, purges: Array<{ seq: number, id: string, revs: string[] }> }>}
 */
async function purges (core, { since = 0 } = {}) {
  core.assertOpen()
  const { layout } = core
  const last = core.totals.purgeSeq
  const range = layout.range(layout.purges)
  const entries = since >= last ? [] : await core.keyspace.entries({ gte: range.gte, lte: layout.purge(last) }).all()
  const all = entries.map(([key, text]) => toPurge(layout.purgeOf(key), JSON.parse(text)))
  return { oldest: all.length === 0 ? last + 1 : all[0].seq, last, purges: all.filter(({ seq }) => seq > since) }
}

/** @param {number} seq @param {[string, string[]]} purge */
function toPurge (seq, [id, revs]) {
  return { seq, id, revs }
}

module.exports = { purge, purges }
