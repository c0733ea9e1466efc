'use strict'

const { encodingForm, namesOf, toJson } = require('@potoroo/document-store')

/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').AttachmentInfo} AttachmentInfo */

/**
 * Splits a document's attachments into those that are sent along and those that stay stubs, as
 * `attachments` and `atts_since` ask: with `atts_since`, what came after the newest of these
 * revisions that the document descends from.
 *
 * @param {Document} document read with `revs`
 * @param {string[] | undefined} since
 * @returns {Set<string>} names of those that are sent
 */
function attachmentsToSend (document, since) {
  const known = since === undefined ? 0 : newestCommon(document, since)
  const names = Object.keys(document.attachments ?? {})
  return new Set(names.filter(name => /** @type {Record<string, any>} */ (document.attachments)[name].revpos > known))
}

/**
 * @param {Document} document
 * @param {string[]} since
 * @returns {number} its generation, 0 for none
 */
function newestCommon ({ revisions }, since) {
  if (revisions === undefined) return 0
  const index = revisions.ids.findIndex((hash, i) => since.includes(`${revisions.start - i}-${hash}`))
  return index < 0 ? 0 : revisions.start - index
}

/**
 * The document as JSON with attachments that `follow` it, as multipart/related has them: in the
 * encoding in which they are stored.
 *
 * @param {Document} document
 * @param {Set<string>} following names
 * @returns {string}
 */
function toJsonFollowed (document, following) {
  const members = inOrder(document).map(([name, info]) => `${JSON.stringify(name)}:${JSON.stringify({
    content_type: info.contentType,
    revpos: info.revpos,
    digest: info.digest,
    length: info.length,
    [following.has(name) ? 'follows' : 'stub']: true,
    ...encodingForm(info)
  })}`)
  const json = toJson({ ...document, attachments: null })
  return `${json.slice(0, -1)},"_attachments":{${members.join()}}}`
}

/**
 * The document's attachments as they were sent: an object has names that look like numbers first.
 *
 * @param {Document} document
 * @returns {Array<[string, AttachmentInfo]>}
 */
function inOrder ({ attachments }) { return attachments === null ? [] : namesOf(attachments).map(name => [name, attachments[name]]) }

/**
 * Returns what the multipart writer takes, in the order of the JSON.
 *
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {Document} document
 * @param {Set<string>} following
 * @returns {import('@potoroo/multipart').RelatedAttachment[]}
 */
function followers (database, document, following) {
  return inOrder(document).filter(([name]) => following.has(name)).map(([name, info]) => ({
    name,
    contentType: info.contentType,
    length: info.encodedLength ?? info.length,
    encoding: info.encoding,
    // Each would read the whole document again, and there may be very many.
    open: async () => (await database.getAttachment(document.id, name, { document })).streamStored()
  }))
}

module.exports = { toJsonFollowed, attachmentsToSend, followers }
