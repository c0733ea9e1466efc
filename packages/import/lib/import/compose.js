'use strict'

const { carryOver } = require('@potoroo/document-store')
const { isComparable, verified, verify } = require('./digest')

/**
 * Makes a revision what a document store takes, its content compared with its digests on the way.
 *
 * @typedef {import('./source').Attachment} Attachment
 * @typedef {(digest: string) => boolean} IsStored tells of content that need not be brought again
 * @typedef {(attachment: Attachment, bytes: number) => void} OnContent is called when all of it was read
 *
 * @param {import('./source').SourceDocument} document
 * @param {import('./source').Revision} revision
 * @param {IsStored} isStored
 * @param {OnContent} onContent
 * @returns {Record<string, any>} throws DAMAGED, for content that is at hand
 */
function compose ({ id, seq }, revision, isStored, onContent) {
  const { rev, revisions, deleted, members, attachments } = revision
  /** @type {Record<string, any>} */
  const doc = { ...members, _id: id, _rev: rev, _revisions: revisions }
  carryOver(doc)
  if (deleted) doc._deleted = true
  if (Number.isSafeInteger(seq)) doc._local_seq = seq
  if (attachments.length > 0) doc._attachments = Object.fromEntries(attachments.map(attachment => [attachment.name, toInput(attachment, rev, isStored, onContent)]))
  return doc
}

/** @param {Attachment} attachment @param {string} rev @param {IsStored} isStored @param {OnContent} onContent */
function toInput (attachment, rev, isStored, onContent) {
  const { contentType, digest, length, revpos, data } = attachment
  const input = { content_type: contentType, digest: isComparable(attachment) ? digest : undefined, revpos: revpos ?? undefined }
  if (length !== null && isComparable(attachment) && isStored(digest)) return { ...input, length, stub: true }
  if (data === null) return { ...input, length: length ?? undefined, data: reading(attachment, rev, onContent) }
  verify(data, attachment)
  onContent(attachment, data.length)
  return { ...input, length: data.length, data }
}

/**
 * Reads content; an error in it says in which revision.
 * @param {Attachment} attachment
 * @param {string} rev
 * @param {OnContent} onContent
 */
async function * reading (attachment, rev, onContent) {
  let bytes = 0
  try {
    for await (const part of verified(/** @type {NonNullable<Attachment['open']>} */ (attachment.open)(), attachment)) {
      bytes += part.length
      yield part
    }
  } catch (error) {
    error.rev ??= rev
    throw error
  }
  onContent(attachment, bytes)
}

module.exports = { compose }
