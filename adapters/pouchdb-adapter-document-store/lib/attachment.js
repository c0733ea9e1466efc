'use strict'

const errors = require('pouchdb-errors')
const { guardedConsole } = require('pouchdb-utils')

const { put } = require('./bulk-docs')
const { toStream, typedContent } = require('./content')
const { get } = require('./get')
const { ownContent } = require('./incoming-document')
const { toPouchError } = require('./pouch-error')

const { createError } = errors

/**
 * `db.getAttachment`: a Buffer with its content type as `type`; with `stream: true`, which is ours
 * alone, a Readable that has `type`, `length` and `digest`.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 * @param {string} name
 * @param {{ rev?: string, at?: any, stream?: boolean, base64?: boolean }} [options]
 * @returns {Promise<string | Buffer & { type: string } | import('node:stream').Readable & { type: string, length: number, digest: string }>}
 * @see https://pouchdb.com/api.html#get_attachment
 */
async function getAttachment (store, id, name, options) {
  try {
    const document = options?.at === undefined ? undefined : await store.get(id, { at: options.at })
    const attachment = await store.getAttachment(id, name, { rev: options?.rev || undefined, document })
    if (options?.stream) return toReadable(attachment)
    const data = await attachment.read()
    return options?.base64 ? data.toString('base64') : typedContent(data, attachment)
  } catch (error) {
    throw toPouchError(error, id)
  }
}

/** @param {Awaited<ReturnType<import('@potoroo/document-store').DocumentStore['getAttachment']>>} attachment */
function toReadable ({ stream, contentType: type, length, digest }) {
  return toStream(pouchErrors(stream()), { type, length, digest })
}

/** @param {AsyncIterable<Buffer>} stream */
async function * pouchErrors (stream) {
  try {
    yield * stream
  } catch (error) {
    throw toPouchError(error)
  }
}

/**
 * `db.putAttachment(id, name, [rev], data, type)`. The data may also be a stream or a Blob.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {string} id
 * @param {string} name
 * @param {any[]} rest
 * @see https://pouchdb.com/api.html#save_attachment
 */
async function putAttachment (adapter, id, name, ...rest) {
  const [rev, given, type] = rest[2] === undefined ? [null, ...rest] : rest
  const data = ownContent(given)
  if (!type) guardedConsole('warn', 'Attachment', name, 'on document', id, 'is missing content_type')
  const doc = await current(adapter.store, id)
  if (doc._rev !== undefined && doc._rev !== rev) throw createError(errors.REV_CONFLICT)
  const generation = doc._rev === undefined ? 0 : parseInt(doc._rev, 10)
  const attachment = { content_type: type, data, revpos: generation + 1 }
  return put(adapter, { ...doc, _attachments: Object.fromEntries([...Object.entries(doc._attachments ?? {}), [name, attachment]]) })
}

/**
 * The document as it is, or an empty one.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {string} id
 * @returns {Promise<Record<string, any>>}
 */
async function current (store, id) {
  try {
    return await get(store, id)
  } catch (error) {
    if (error.reason !== errors.MISSING_DOC.message) throw error
    return { _id: id }
  }
}

module.exports = { getAttachment, putAttachment }
