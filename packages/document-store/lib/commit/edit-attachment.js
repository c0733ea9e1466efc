'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { carryNames, namesOf } = require('../json/carried-text')
const { carryBody } = require('../json/sent-text')
const { mapInTurns } = require('../json/turn')
const { get } = require('../reading/get')
const { write } = require('./write')

/**
 * @import { Core } from '../store/core'
 * @import { Member } from '../access/member'
 * @import { AttachmentInfo, ContentSource, DocumentInput, WriteOptions } from '../..'
 *
 * @typedef {NonNullable<import('../..').Document['attachments']>} Attachments
 * @typedef {{ contentType: string, data: ContentSource | string, length?: number, digest?: string, encoding?: 'gzip' }} Sent
 */

/**
 * Adds or replaces one attachment, as a new revision of the document with everything else as it
 * was. Without `rev`, of a new (or deleted) document.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string} name
 * @param {Sent} attachment
 * @param {{ rev?: string } & Pick<WriteOptions, 'user' | 'as'>} [options]
 * @see https://docs.couchdb.org/en/stable/api/document/attachments.html
 */
async function putAttachment (core, id, name, { contentType, data, length, digest, encoding }, { rev, ...options } = {}) {
  return edit(core, id, rev, options, (doc) => {
    const attachment = { content_type: contentType, data, length, digest, encoding }
    const others = doc._attachments ?? {}
    // The new one comes first, as in CouchDB: revisions depend on it.
    const names = [name, ...namesOf(others).filter((other) => other !== name)]
    doc._attachments = { ...others, [name]: attachment }
    carryNames(doc._attachments, names)
  })
}

/**
 * Removes one attachment, as a new revision.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string} name
 * @param {{ rev?: string } & Pick<WriteOptions, 'user' | 'as'>} [options]
 */
async function removeAttachment (core, id, name, { rev, ...options } = {}) {
  return edit(core, id, rev, options, (doc) => {
    if (!Object.hasOwn(doc._attachments ?? {}, name)) throw createError('MISSING_ATTACHMENT', { id })
    carryNames(doc._attachments, namesOf(doc._attachments).filter((other) => other !== name))
    delete doc._attachments[name]
  })
}

/**
 * @param {Core} core
 * @param {string} id
 * @param {string | undefined} rev
 * @param {Pick<WriteOptions, 'user' | 'as'>} options
 * @param {(doc: DocumentInput) => void} change
 */
async function edit (core, id, rev, { user, as }, change) {
  const doc = rev === undefined ? { _id: id } : await revisionAsInput(core, id, rev, as)
  change(doc)
  const [result] = await write(core, [doc], { user, as })
  if (result instanceof Error) throw result
  return result
}

/** @param {Core} core @param {string} id @param {string} rev @param {Member | undefined} as */
async function revisionAsInput (core, id, rev, as) {
  const document = await getForEdit(core, id, rev, as)
  /** @type {Record<string, any>} */
  const doc = { _id: id, _rev: rev }
  // The body goes from one revision to the next as it is.
  carryBody(doc, document.body)
  if (document.attachments === null) return doc
  const names = namesOf(document.attachments)
  const stubs = await mapInTurns(names, (name) => [name, stubOf(/** @type {Attachments} */ (document.attachments)[name])])
  doc._attachments = Object.fromEntries(stubs)
  carryNames(doc._attachments, names)
  return doc
}

/** @param {AttachmentInfo} info */
function stubOf ({ contentType, digest, length, revpos }) { return { stub: true, content_type: contentType, digest, length, revpos } }

/**
 * A revision that is not there cannot be edited: a conflict, as CouchDB says.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string} rev
 * @param {Member | undefined} as
 */
async function getForEdit (core, id, rev, as) {
  try {
    return await get(core, id, { rev, as })
  } catch (error) {
    if (error instanceof CouchError && error.code === 'MISSING') throw createError('CONFLICT', { id, error: 'not_found', reason: 'missing_rev' })
    throw error
  }
}

module.exports = { putAttachment, removeAttachment }
