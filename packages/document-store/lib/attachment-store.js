'use strict'

const { attachmentsOf } = require('./record')
const { del, put, putBinary } = require('./keyspace')

/** Bytes of one chunk: a multiple of 4, so that an offset is easily found. */
const CHUNK = 256 * 1024

/**
 * Content by digest inside one commit. Its record, at `a digest`, is text:
 *
 *   content ' ' length ' ' references
 *
 * content names its chunks; references counts the stored revisions that hold the digest.
 *
 * @typedef {{ content: string, length: number, references: number, data: Buffer | null,
 *   upload: import('./uploads').Upload | null, stored: number }} Entry
 *   `stored` is the count as it is in the level, 0 for none
 */
class AttachmentStore {
  #keyspace
  #layout
  #entries = new Map()
  #discarded = []

  constructor (core) {
    this.#keyspace = core.keyspace
    this.#layout = core.layout
  }

  get touched () { return this.#entries.size > 0 }

  /** @returns {Promise<Entry | null>} */
  async find (digest) {
    let entry = this.#entries.get(digest)
    if (entry !== undefined) return entry
    const text = await this.#keyspace.get(this.#layout.attachment(digest))
    if (text === undefined) return null
    entry = { ...decodeAttachment(text), data: null, upload: null, stored: 0 }
    entry.stored = entry.references
    this.#entries.set(digest, entry)
    return entry
  }

  /** Makes content known; it is kept if the commit refers to it. Equal content is stored once. */
  async offer (digest, content, length, data, upload) {
    if (await this.find(digest) === null) {
      this.#entries.set(digest, { content, length, references: 0, data, upload, stored: 0 })
    } else if (upload !== null) this.#discarded.push(upload)
  }

  /** Counts a stored revision's digests up or down. */
  async count (payload, step) {
    const text = attachmentsOf(payload)
    if (text === '') return
    const digests = new Set(Object.values(JSON.parse(text)).map((info) => info.digest))
    for (const digest of digests) {
      const entry = await this.find(digest)
      if (entry !== null) entry.references += step
    }
  }

  /**
   * The operations that make it so, once the commit is complete.
   *
   * @returns {{ operations: object[], bytes: number }} and how many bytes more are stored
   */
  finish () {
    const operations = []
    let bytes = 0
    for (const upload of this.#discarded) removeUpload(operations, this.#layout, upload.content, upload.length)
    for (const [digest, entry] of this.#entries) {
      if (entry.references > 0) {
        if (entry.stored === 0) bytes += entry.length
        this.#keep(operations, digest, entry)
      } else if (entry.stored > 0) {
        bytes -= entry.length
        operations.push(del(this.#layout.attachment(digest)))
        removeChunks(operations, this.#layout, entry.content, entry.length)
      } else if (entry.upload !== null) removeUpload(operations, this.#layout, entry.content, entry.length)
    }
    return { operations, bytes }
  }

  #keep (operations, digest, entry) {
    if (entry.references === entry.stored) return
    operations.push(put(this.#layout.attachment(digest), encodeAttachment(entry)))
    if (entry.stored > 0) return
    if (entry.upload !== null) operations.push(del(this.#layout.upload(entry.content)))
    else putChunks(operations, this.#layout, entry.content, entry.data)
  }
}

function decodeAttachment (text) {
  const [content, length, references] = text.split(' ')
  return { content, length: Number(length), references: Number(references) }
}

function encodeAttachment ({ content, length, references }) {
  return `${content} ${length} ${references}`
}

function putChunks (operations, layout, content, data) {
  for (let number = 0; number * CHUNK < data.length; number++) {
    operations.push(putBinary(layout.chunk(content, number), data.subarray(number * CHUNK, (number + 1) * CHUNK)))
  }
}

function removeChunks (operations, layout, content, length) {
  for (let number = 0; number * CHUNK < length; number++) operations.push(del(layout.chunk(content, number)))
}

function removeUpload (operations, layout, content, length) {
  removeChunks(operations, layout, content, length)
  operations.push(del(layout.upload(content)))
}

module.exports = { AttachmentStore, decodeAttachment, encodeAttachment, CHUNK }
