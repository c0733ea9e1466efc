'use strict'

const { toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Work } = require('@potoroo/search')
const { runSearch } = require('./run-search')

/**
 * @typedef {Pick<import('@potoroo/document-store').DocumentStore, 'bulkGet'>} ReadDatabase
 * @typedef {import('./run-search').SearchArgs} SearchArgs
 */

/** Milliseconds that a timer takes. */
const LONGEST = 2 ** 31 - 1

/**
 * Searches in an index at one moment, whose snapshot it closes.
 *
 * @param {ReadDatabase} database
 * @param {import('./definition').TextDefinition} definition
 * @param {import('../index/text-index').TextSnapshot} snapshot
 * @param {SearchArgs} args
 * @param {number} deadline
 */
async function searchIn (database, definition, snapshot, args, deadline) {
  const result = await runSearch(definition, snapshot, args, new Work({ deadline, isWanted: args.isWanted }))
  if (args.includeDocs) await addDocuments(database, [...result.hits, ...(result.groups ?? []).flatMap(({ hits }) => hits)])
  return result
}

/**
 * @template T
 * @param {number | undefined} timeout milliseconds; undefined: as long as it takes
 * @param {(deadline: number) => Promise<T>} action
 * @returns {Promise<T>}
 * @throws timeout
 */
async function inTime (timeout, action) {
  if (timeout === undefined) return action(Infinity)
  let timer
  const late = new Promise((resolve, reject) => { timer = setTimeout(() => reject(createError('TIMEOUT')), Math.min(timeout, LONGEST)) })
  try {
    return /** @type {T} */ (await Promise.race([timeout === 0 ? late : action(performance.now() + timeout), late]))
  } finally {
    clearTimeout(timer)
  }
}

/** Whether an index is asked for one partition at a time. @param {{ partitioned: boolean }} database @param {any} ddoc */
function isPartitioned ({ partitioned }, { options }) { return partitioned && options?.partitioned !== false }

/** @param {{ partitioned: boolean }} open an index @param {SearchArgs} args @throws bad_request */
function checkPartition ({ partitioned }, { partition }) {
  if (partitioned && partition === undefined) throw createError('BAD_REQUEST', { reason: '`partition` parameter is mandatory for queries to this index.' })
  if (!partitioned && partition !== undefined) throw createError('BAD_REQUEST', { reason: '`partition` not supported on this index' })
}

/** @param {ReadDatabase} database @param {import('./run-search').SearchHit[]} hits */
async function addDocuments (database, hits) {
  const found = await database.bulkGet(hits.map(({ id }) => ({ id })))
  hits.forEach((hit, i) => {
    const result = found[i]
    hit.doc = 'ok' in result && !result.ok.deleted ? toJson(result.ok) : 'null'
  })
}

module.exports = { checkPartition, inTime, isPartitioned, searchIn }
