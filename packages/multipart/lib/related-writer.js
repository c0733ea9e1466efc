'use strict'

const crypto = require('node:crypto')

/** @typedef {import('..').RelatedAttachment} RelatedAttachment */

/** @returns {string} 32 hex characters, which no content has by chance */
function createBoundary () {
  return crypto.randomBytes(16).toString('hex')
}

/**
 * A document with its attachments as multipart/related, in CouchDB's form, which differs from
 * the RFC's only in that no line break ends it. Its bytes are what it iterates.
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
   */
  constructor (json, attachments) {
    this.#boundary = createBoundary()
    this.#opening = Buffer.from(`--${this.#boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${this.#boundary}`)
    this.#attachments = attachments.map(attachment => ({ attachment, head: headOf(attachment) }))
  }

  get contentType () { return `multipart/related; boundary="${this.#boundary}"` }

  /** Bytes of all of it: there are proxies that want to know before they are sent. */
  get length () {
    const delimiter = 4 + this.#boundary.length
    return this.#attachments.reduce((sum, { attachment, head }) => sum + head.length + attachment.length + delimiter, this.#opening.length + 2)
  }

  async * [Symbol.asyncIterator] () {
    yield this.#opening
    for (const { attachment, head } of this.#attachments) {
      yield head
      yield * await attachment.open()
      yield Buffer.from(`\r\n--${this.#boundary}`)
    }
    yield Buffer.from('--')
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
  return String(text).replace(/[\r\n]+/g, ' ')
}

module.exports = { RelatedWriter, createBoundary }
