'use strict'

const crypto = require('node:crypto')
const { ImportError } = require('./import-error')

/**
 * @typedef {{ name: string, digest: string, length: number | null, encoded: string | null }} Described
 *   an attachment, as the source tells of it
 */

/** @param {Uint8Array} bytes */
function digestOf (bytes) {
  return 'md5-' + crypto.createHash('md5').update(bytes).digest('base64')
}

/**
 * Tells whether a digest can be compared with that of the content: CouchDB's may be of compressed bytes.
 * @param {{ digest: string, encoded: string | null }} attachment
 */
function isComparable ({ digest, encoded }) {
  return encoded === null && typeof digest === 'string' && /^md5-[A-Za-z0-9+/]{22}==$/.test(digest)
}

/**
 * Passes content on and compares it with what the source says of it.
 *
 * @param {AsyncIterable<Buffer>} content
 * @param {Described} attachment
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

/**
 * Compares content that is at hand in the same way.
 * @param {Buffer} bytes
 * @param {Described} attachment
 */
function verify (bytes, attachment) {
  assertSame(attachment, digestOf(bytes), bytes.length)
}

/** @param {Described} attachment @param {string} digest @param {number} length */
function assertSame (attachment, digest, length) {
  if (attachment.length !== null && attachment.length !== length) {
    throw damaged(attachment, `is ${length} bytes long, not ${attachment.length}`)
  }
  if (isComparable(attachment) && digest !== attachment.digest) throw damaged(attachment, `has the digest ${digest}, not ${attachment.digest}`)
}

/** @param {Described} attachment @param {string} what */
function damaged ({ name }, what) {
  return new ImportError('DAMAGED', { why: `the content of attachment ${name} ${what}` })
}

module.exports = { digestOf, verified, verify, isComparable }
