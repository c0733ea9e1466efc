'use strict'

const crypto = require('node:crypto')

/**
 * @typedef {object} RelatedAttachment what follows a document in multipart/related
 * @property {string} name
 * @property {string} contentType
 * @property {number} length bytes of what is sent
 * @property {string} [encoding] of it
 * @property {() => Promise<AsyncIterable<Uint8Array>>} open
 */

/** @returns {string} 32 hex characters, which no content has by chance */
function createBoundary () {
  return crypto.randomBytes(16).toString('hex')
}

/**
 * A document with its attachments as multipart/related, in CouchDB's form, which differs from
 * the RFC's only in that no line break ends it.
 *
 * @see https://docs.couchdb.org/en/stable/api/document/attachments.html
 */
class RelatedWriter {
  #boundary
  #opening
  #attachments

  /**
   * @param {string} json the document
   * @param {RelatedAttachment[]} attachments in the order of its `_attachments` that `follow`
   * @param {string} [boundary]
   */
  constructor (json, attachments, boundary = createBoundary()) {
    this.#boundary = boundary
    this.#opening = Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${boundary}`)
    this.#attachments = attachments.map(attachment => ({ attachment, head: headOf(attachment) }))
  }

  get contentType () { return `multipart/related; boundary="${this.#boundary}"` }

  /** Bytes that `writeTo` will write. */
  get length () {
    const delimiter = 4 + this.#boundary.length
    return this.#attachments.reduce((sum, { attachment, head }) => sum + head.length + attachment.length + delimiter, this.#opening.length + 2)
  }

  /** @param {import('../http/response-writer').ResponseWriter} out */
  async writeTo (out) {
    await out.write(this.#opening)
    for (const { attachment, head } of this.#attachments) {
      await out.write(head)
      for await (const chunk of await attachment.open()) {
        if (out.closed) return
        await out.write(chunk)
      }
      out.push(`\r\n--${this.#boundary}`)
    }
    out.push('--')
    await out.flush()
  }
}

/** @param {RelatedAttachment} attachment */
function headOf ({ name, contentType, length, encoding }) {
  return Buffer.from(`${dispositionOf(name)}\r\nContent-Type: ${oneLine(contentType)}\r\nContent-Length: ${length}` +
    `${encoding === undefined ? '' : `\r\nContent-Encoding: ${encoding}`}\r\n\r\n`)
}

/** A name with line breaks is in no header: the part is known by its place, and a name that is not its own would mislead. */
function dispositionOf (name) {
  return /[\r\n]/.test(name) ? '' : `\r\nContent-Disposition: attachment; filename="${name}"`
}

/** Types come from clients: a line break in one would make headers of the rest. */
function oneLine (text) {
  return text.replace(/[\r\n]+/g, ' ')
}

module.exports = { RelatedWriter, createBoundary }
