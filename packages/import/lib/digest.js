'use strict'

const crypto = require('node:crypto')
const { ImportError } = require('./import-error')

/** @param {Uint8Array} bytes */
function digestOf (bytes) {
  return 'md5-' + crypto.createHash('md5').update(bytes).digest('base64')
}

/** Whether a digest can be compared with that of the content: CouchDB's may be of compressed bytes. */
function isComparable ({ digest, encoded }) {
  return encoded === null && typeof digest === 'string' && /^md5-[A-Za-z0-9+/]{22}==$/.test(digest)
}

/**
 * Passes content on and compares it with what the source says of it.
 *
 * @param {AsyncIterable<Buffer>} content
 * @param {{ name: string, digest: string, length: number | null, encoded: string | null }} attachment
 * @returns {AsyncGenerator<Buffer>} throws DAMAGED at its end
 */
async function * verified (content, attachment) {
  const hash = crypto.createHash('md5')
  let length = 0
  for await (const part of content) {
    hash.update(part)
    length += part.length
    yield part
  }
  assertSame(attachment, 'md5-' + hash.digest('base64'), length)
}

/** The same for content that is at hand. */
function verify (bytes, attachment) {
  assertSame(attachment, digestOf(bytes), bytes.length)
}

function assertSame (attachment, digest, length) {
  if (attachment.length !== null && attachment.length !== length) {
    throw damaged(attachment, `is ${length} bytes long, not ${attachment.length}`)
  }
  if (isComparable(attachment) && digest !== attachment.digest) throw damaged(attachment, `has the digest ${digest}, not ${attachment.digest}`)
}

function damaged ({ name }, what) {
  return new ImportError('DAMAGED', { why: `the content of attachment ${name} ${what}` })
}

module.exports = { digestOf, verified, verify, isComparable }
