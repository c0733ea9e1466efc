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
  /** @type {Array<{ attachment: RelatedAttachment, head: Buffer }>} */
  #attachments = []
  #length

  /**
   * @param {string} json the document
   * @param {RelatedAttachment[]} [attachments] in the order of its `_attachments` that `follow`
   */
  constructor (json, attachments = []) {
    this.#boundary = createBoundary()
    this.#opening = Buffer.from(`--${this.#boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${this.#boundary}`)
    this.#length = this.#opening.length + 2
    for (const attachment of attachments) this.add(attachment)
  }

  /** Adds the next attachment: very many are not to be made in one go. @param {RelatedAttachment} attachment */
  add (attachment) {
    const head = headOf(attachment)
    this.#attachments.push({ attachment, head })
    this.#length += head.length + attachment.length + 4 + this.#boundary.length
  }

  get contentType () { return `multipart/related; boundary="${this.#boundary}"` }

  /** Bytes of all of it: there are proxies that want to know before they are sent. */
  get length () { return this.#length }

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

/**
 * A name with line breaks is in no header: the part is known by its place, and a name that is not its own would mislead.
 *
 * @param {string} name
 */
function dispositionOf (name) {
  return /[\r\n]/.test(name) ? '' : `\r\nContent-Disposition: attachment; filename="${name}"`
}

/**
 * Types come from clients: a line break in one would make headers of the rest.
 *
 * @param {unknown} text
 */
function oneLine (text) {
  return String(text).replace(/[\r\n]+/g, ' ')
}

module.exports = { RelatedWriter, createBoundary }
