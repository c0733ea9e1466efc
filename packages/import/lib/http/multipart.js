'use strict'

const crypto = require('node:crypto')
const { stringifyExact } = require('@potoroo/document-store')

/**
 * A document with its attachments' content as one `multipart/related` body: its JSON, then each
 * attachment's bytes.
 *
 * @param {Record<string, any>} doc its attachments have `length`, and `data`: a Buffer or an AsyncIterable
 * @returns {{ type: string, length: number, body: AsyncIterable<Buffer> }}
 * @see https://docs.couchdb.org/en/stable/api/document/attachments.html#creating-multiple-attachments
 */
function toMultipart (doc) {
  const boundary = crypto.randomBytes(16).toString('hex')
  const attachments = Object.values(doc._attachments)
  const head = Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${stringifyExact(withoutData(doc))}\r\n--${boundary}`)
  const tails = attachments.map((_, i) => Buffer.from(i === attachments.length - 1 ? `\r\n--${boundary}--` : `\r\n--${boundary}`))
  const length = attachments.reduce((sum, attachment, i) => sum + 4 + attachment.length + tails[i].length, head.length)
  return { type: `multipart/related; boundary="${boundary}"`, length, body: parts(head, attachments, tails) }
}

function withoutData (doc) {
  const stubs = Object.entries(doc._attachments).map(([name, { content_type: type, length, revpos }]) => [name, { follows: true, content_type: type, length, revpos }])
  return { ...doc, _attachments: Object.fromEntries(stubs) }
}

async function * parts (head, attachments, tails) {
  yield head
  for (let i = 0; i < attachments.length; i++) {
    yield Buffer.from('\r\n\r\n')
    const { data } = attachments[i]
    if (Buffer.isBuffer(data)) yield data
    else yield * data
    yield tails[i]
  }
}

module.exports = { toMultipart }
