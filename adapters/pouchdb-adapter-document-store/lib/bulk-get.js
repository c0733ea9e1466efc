'use strict'

const { getLocal } = require('./get')
const { isLocal } = require('./incoming-document')
const { toPouchError } = require('./pouch-error')
const { toPouchDocument, readOptions } = require('./outgoing-document')

/** @typedef {{ id: string, rev?: string, attsSince?: string[] }} Request for a document */

/**
 * `db.bulkGet`: many documents and revisions in one go.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, any>} options `docs: [{ id, rev?, atts_since? }]`, and as for `get`:
 *   `revs`, `latest`, `attachments`, `binary`
 * @returns {Promise<{ results: Array<{ id: string, docs: any[] }> }>} in the order of the
 *   requests, those of one document side by side
 * @see https://pouchdb.com/api.html#bulk_get
 */
async function bulkGet (store, options) {
  const requests = group(options.docs)
  const { revs, attachments } = readOptions(options)
  try {
    const found = await store.bulkGet(requests, { revs, attachments, latest: Boolean(options.latest) })
    return { results: await Promise.all(found.map((result, i) => toResult(store, requests[i], result, options))) }
  } catch (error) {
    throw toPouchError(error)
  }
}

/** @param {any[]} docs @returns {Request[]} */
function group (docs) {
  /** @type {Map<string, Request[]>} */
  const byId = new Map()
  for (const { id, rev, atts_since: attsSince } of docs) {
    const request = { id, rev: rev || undefined, attsSince }
    const others = byId.get(id)
    if (others === undefined) byId.set(id, [request])
    else others.push(request)
  }
  return [...byId.values()].flat()
}

/**
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Request} request
 * @param {any} result
 * @param {Record<string, any>} options
 */
function toResult (store, { id, rev }, result, options) {
  if (result.ok) return { id, docs: [{ ok: toPouchDocument(result.ok, options) }] }
  if (isLocal(id)) return toLocalResult(store, id)
  const { error } = result
  return { id, docs: [rev === undefined || error.code === 'INVALID_REV' ? { error: toPouchError(error, id) } : { missing: rev }] }
}

/**
 * PouchDB's `get` has local documents, and so has its `bulkGet`; CouchDB's has not.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 */
async function toLocalResult (store, id) {
  return { id, docs: [await getLocal(store, id).then((ok) => ({ ok }), (error) => ({ error }))] }
}

/**
 * `db.revsDiff`: which revisions are not here.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {Record<string, string[]>} request
 * @returns {Promise<Record<string, { missing: string[] }>>}
 */
async function revsDiff (store, request) {
  try {
    const diff = await store.revsDiff(request)
    for (const id in diff) diff[id] = { missing: diff[id].missing }
    return diff
  } catch (error) {
    throw toPouchError(error)
  }
}

module.exports = { bulkGet, revsDiff }
