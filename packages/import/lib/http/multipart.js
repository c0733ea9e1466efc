'use strict'

const { stringifyExact } = require('@potoroo/document-store')
const { RelatedWriter } = require('@potoroo/multipart')

/**
 * A document with its attachments' content as one `multipart/related` body.
 *
 * @param {Record<string, any>} doc its attachments have `length`, and `data`: a Buffer or an AsyncIterable
 */
function toMultipart (doc) {
  const named = Object.entries(doc._attachments)
  const stubs = named.map(([name, { content_type: type, length, revpos }]) => [name, { follows: true, content_type: type, length, revpos }])
  return new RelatedWriter(stringifyExact({ ...doc, _attachments: Object.fromEntries(stubs) }), named.map(([name, { content_type: contentType, length, data }]) =>
    ({ name, contentType, length, open: () => Buffer.isBuffer(data) ? [data] : data })))
}

module.exports = { toMultipart }
