'use strict'

const crypto = require('node:crypto')
const { AttachmentContent } = require('../replication/attachment-content')

/**
 * A document and its attachments as multipart/related. Its length is known before it is sent, since
 * there are proxies that want to know.
 *
 * @param {import('../replication/side').FetchedDocument} document
 * @returns {{ headers: Record<string, string>, body: AsyncIterable<Buffer> }}
 * @see https://docs.couchdb.org/en/stable/api/document/common.html#creating-multiple-attachments
 */
function formatRelated ({ bare, attachments }) {
  const boundary = crypto.randomBytes(16).toString('hex')
  const named = Object.entries(attachments ?? {})
  const json = withMember(bare(), Object.fromEntries(named.map(([name, each]) => [name, toJson(each)])))
  const following = named.filter(([, { data }]) => data instanceof AttachmentContent)
  const first = Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${boundary}`)
  const heads = following.map(([name, attachment]) => Buffer.from(headOf(name, attachment)))
  const between = Buffer.from(`\r\n--${boundary}`)
  const length = first.length + heads.reduce((sum, head, i) => sum + head.length + following[i][1].data.length + between.length, 0) + 2
  return {
    headers: { 'Content-Type': `multipart/related; boundary="${boundary}"`, 'Content-Length': String(length) },
    body: parts(first, heads, following.map(([, { data }]) => data), between)
  }
}

/**
 * The JSON of a document with its attachments.
 * @param {string} bare of an object that is not empty
 * @param {Record<string, any>} attachments
 */
function withMember (bare, attachments) {
  return `${bare.slice(0, bare.lastIndexOf('}'))},"_attachments":${JSON.stringify(attachments)}}`
}

async function * parts (first, heads, contents, between) {
  yield first
  for (let i = 0; i < heads.length; i++) {
    yield heads[i]
    yield * contents[i]
    yield between
  }
  yield Buffer.from('--')
}

function headOf (name, { content_type: type, encoding, data }) {
  return `${dispositionOf(name)}\r\nContent-Type: ${oneLine(type)}\r\nContent-Length: ${data.length}` +
    `${encoding === undefined ? '' : `\r\nContent-Encoding: ${encoding}`}\r\n\r\n`
}

/** No header holds a name with line breaks. A part without a name is the next one, and any other name would be another's. */
function dispositionOf (name) {
  return /[\r\n]/.test(name) ? '' : `\r\nContent-Disposition: attachment; filename="${name}"`
}

/** Content goes as it is stored at the source: compressed, too, and the digest is of these bytes. */
function toJson ({ stub, data, ...attachment }) {
  if (data instanceof AttachmentContent) return { ...attachment, follows: true }
  return data === undefined ? { ...attachment, stub: true } : { content_type: attachment.content_type, revpos: attachment.revpos, data }
}

function oneLine (text) {
  return String(text).replace(/[\r\n]+/g, ' ')
}

module.exports = { formatRelated, withMember }
