'use strict'

const errors = require('pouchdb-errors')
const { adapterFun } = require('pouchdb-utils')

const { answer } = require('./call-back')
const { toPouchError } = require('./pouch-error')

const { createError } = errors

/** PouchDB's views look here for purges that they have to follow. */
const PURGES = '_local/purges'

/**
 * `db.purge`: removes a leaf revision as though it had never been.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {any} id
 * @param {any} rev
 * @returns {Promise<{ ok: true, deletedRevs: string[], documentWasRemovedCompletely: boolean }>}
 *   `deletedRevs`: the leaf, then its ancestors up to where the history branches
 * @see https://pouchdb.com/api.html#purge
 */
async function purge ({ store, purgedInfosLimit }, id, rev) {
  if (typeof id !== 'string') throw createError(errors.INVALID_ID)
  try {
    const { purged, gone, erased } = await store.purge({ [id]: [rev] }, { purgedInfosLimit })
    if (purged[id].length === 0) throw await refusal(store, id, rev)
    return { ok: true, deletedRevs: gone[id], documentWasRemovedCompletely: erased.length > 0 }
  } catch (error) {
    throw toPouchError(error, id)
  }
}

/**
 * Why nothing was purged, in PouchDB's words.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 * @param {any} rev
 */
async function refusal (store, id, rev) {
  await store.getRevisionTree(id)
  const missing = Object.hasOwn(await store.revsDiff({ [id]: [rev] }), id)
  return missing
    ? createError(errors.MISSING_DOC, 'The requested revision does not exist')
    : createError(errors.BAD_REQUEST, 'The requested revision is not a leaf')
}

/**
 * pouchdb-core's own version keeps a local document with a list of purges, and 9.0.0 fails to add a
 * second one. Here the store remembers them. Both are there from the beginning: who wants to know
 * whether an instance can purge looks for `_purge`.
 *
 * @param {any} db the PouchDB instance
 * @param {() => import('./adapter').Adapter} adapter once it is open
 */
function installPurge (db, adapter) {
  db.purge = adapterFun('purge', (id, ...rest) => db._purge(id, [rest.length > 1 ? rest[0] : undefined], rest.at(-1)))
  // pouchdb-core gives the path from the leaf on.
  db._purge = (/** @type {any} */ id, /** @type {any[]} */ path, /** @type {import('./call-back').Callback} */ callback) => answer(purge(adapter(), id, path[0]), callback)
}

/**
 * The local document in which pouchdb-core would have listed the purges; undefined for another one.
 * It counts them from 0.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 */
async function listedPurges (store, id) {
  if (id !== PURGES || store.purgeSeq === 0) return undefined
  const { purges, last } = await store.purges()
  return {
    purges: purges.map(({ seq, id, revs }) => ({ docId: id, rev: revs[0], purgeSeq: seq - 1 })),
    purgeSeq: last - 1,
    _id: PURGES,
    _rev: `0-${last}`
  }
}

module.exports = { installPurge, listedPurges }
