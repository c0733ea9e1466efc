'use strict'

const errors = require('pouchdb-errors')

const { toPouchError } = require('./pouch-error')
const { isRevision } = require('./incoming-document')
const { listedPurges } = require('./purge')
const { toPouchDocument, readOptions } = require('./outgoing-document')

const { createError } = errors
const none = Object.freeze({})

/**
 * `db.get`: a document, its open revisions, or a local document.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {any} id
 * @param {Record<string, any>} [options]
 * @see https://pouchdb.com/api.html#fetch_document
 */
async function get (store, id, options) {
  if (typeof id !== 'string') throw createError(errors.INVALID_ID)
  if (id.startsWith('_local/')) return getLocal(store, id)
  if (options?.open_revs) return getOpenRevs(store, id, options)
  try {
    const document = await store.get(id, options ? getOptions(options) : none)
    return toPouchDocument(document, options)
  } catch (error) {
    throw toPouchError(error, id)
  }
}

/** @param {Record<string, any>} options */
function getOptions (options) {
  const { at, rev, latest } = options
  return { ...readOptions(options), at, rev: rev || undefined, latest: Boolean(rev && latest) }
}

/** @param {import('@potoroo/document-store').DocumentStore} store @param {string} id @returns {Promise<any>} */
async function getLocal (store, id) {
  try {
    const listed = await listedPurges(store, id)
    if (listed !== undefined) return listed
    const { rev, body } = await store.getLocal(id)
    return { ...JSON.parse(body), _id: id, _rev: rev }
  } catch (error) {
    throw toPouchError(error)
  }
}

/**
 * The options other than these do not go with `open_revs`, in CouchDB neither.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 * @param {Record<string, any>} options
 */
async function getOpenRevs (store, id, options) {
  const { open_revs: revs, latest } = options
  if (revs !== 'all') checkOpenRevs(revs)
  const { revs: history, attachments } = readOptions(options)
  try {
    const found = await store.openRevs(id, revs, { revs: history, attachments, latest: Boolean(latest) })
    if (revs === 'all' && found.length === 0) throw createError(errors.MISSING_DOC, 'missing')
    return distinct(found.map((/** @type {{ ok?: import('@potoroo/document-store').Document, missing?: string }} */ leaf) => leaf.ok ? { ok: toPouchDocument(leaf.ok, options) } : leaf))
  } catch (error) {
    throw toPouchError(error, id)
  }
}

/** @param {unknown} revs */
function checkOpenRevs (revs) {
  if (!Array.isArray(revs)) throw createError(errors.UNKNOWN_ERROR, 'function_clause')
  if (!revs.every(isRevision)) throw createError(errors.INVALID_REV)
}

/**
 * Two revisions have the same descendant with `latest`.
 *
 * @param {any[]} leaves
 */
function distinct (leaves) {
  const seen = new Set()
  return leaves.filter(({ ok }) => ok === undefined || (!seen.has(ok._rev) && seen.add(ok._rev)))
}

module.exports = { get, getLocal }
