'use strict'

const { RelatedWriter } = require('@potoroo/multipart')
const { AttachmentContent } = require('../replication/attachment-content')

/**
 * A document and its attachments as multipart/related.
 *
 * @param {import('../replication/side').FetchedDocument} document
 */
function relatedOf ({ bare, attachments }) {
  const named = Object.entries(attachments ?? {})
  const json = withMember(bare(), Object.fromEntries(named.map(([name, each]) => [name, toJson(each)])))
  return new RelatedWriter(json, named.filter(([, { data }]) => data instanceof AttachmentContent).map(([name, { content_type: contentType, encoding, data }]) =>
    ({ name, contentType, encoding, length: data.length, open: () => data })))
}

/**
 * The JSON of a document with its attachments.
 * @param {string} bare of an object that is not empty
 * @param {Record<string, any>} attachments
 */
function withMember (bare, attachments) {
  return `${bare.slice(0, bare.lastIndexOf('}'))},"_attachments":${JSON.stringify(attachments)}}`
}

/**
 * Content goes as it is stored at the source: compressed, too, and the digest is of these bytes.
 * @param {Record<string, any>} attachment
 * @returns {Record<string, any>}
 */
function toJson ({ stub, data, ...attachment }) {
  if (data instanceof AttachmentContent) return { ...attachment, follows: true }
  return data === undefined ? { ...attachment, stub: true } : { content_type: attachment.content_type, revpos: attachment.revpos, data }
}

module.exports = { relatedOf, withMember }
