'use strict'

const { attachmentsOf } = require('../media/record')
const { namesOf } = require('../json/carried-text')
const { parseAttachments } = require('../large-json/attachments')
const { Turn, inTurns } = require('../json/turn')
const { del, put, putBinary } = require('../media/keyspace')

/**
 * @import { Core } from '../store/core'
 * @import { Layout } from '../media/layout'
 */

/**
 * @import { Operation } from '../media/keyspace'
 * @import { Upload } from './uploads'
 */

/** Bytes of one chunk: a multiple of 4, so that an offset is easily found. */
const CHUNK = 256 * 1024

/** Content of more bytes than this is not removed by the commit that drops it, but after it, in steps. */
const LONG = 32 * CHUNK

/** Records of content that are read in one go. */
const AT_ONCE = 256

/**
 * Content by digest inside one commit. Its record, at `a digest`, is text:
 *
 *   content ' ' length ' ' references [ ' ' plain ]
 *
 * content names its chunks; references counts the stored revisions that hold the digest; plain is
 * there for what is compressed, and is the length of what it means. Content without it is not known to be
 * gzip.
 *
 * @typedef {{ content: string, length: number, plainLength: number | null, references: number }} StoredAttachment
 * @typedef {StoredAttachment & { data: Buffer | null, upload: Upload | null, stored: number }} Entry
 *   `stored` is the count as it is in the level, 0 for none
 * @typedef {{ operations: Operation[], bytes: number }} Finished bytes: how many more are stored
 */
class AttachmentStore {
  #keyspace
  #layout
  /** digest → entry; null for one that is not there. @type {Map<string, Entry | null>} */
  #entries = new Map()
  /** Uploads of content that is there already. @type {Upload[]} */
  #superfluous = []

  /** @param {Core} core */
  constructor (core) {
    this.#keyspace = core.keyspace
    this.#layout = core.layout
    /** Contents that are to be removed once the commit is done: a marker names each. @type {string[]} */
    this.dropped = []
  }

  get touched () { return this.#entries.size > 0 }

  /** @param {string} digest @returns {Promise<Entry | null>} */
  async find (digest) {
    const entry = this.#entries.get(digest)
    if (entry !== undefined) return entry
    await this.#load([digest])
    return this.#entries.get(digest) ?? null
  }

  /**
   * Loads the digest of each element.
   *
   * @template T
   * @param {T[]} list
   * @param {(element: T) => string} digestOf
   * @returns {Promise<string[]>} the digests, each once
   */
  async #loadAll (list, digestOf) {
    /** @type {Set<string>} */
    const found = new Set()
    await inTurns(list, (element) => { found.add(digestOf(element)) })
    const digests = [...found]
    await this.#load(digests)
    return digests
  }

  /**
   * Reads the records of digests; others run in between where there are very many.
   *
   * @param {string[]} digests
   */
  async #load (digests) {
    const turn = new Turn()
    for (let at = 0; at < digests.length; at += AT_ONCE) {
      const unknown = digests.slice(at, at + AT_ONCE).filter((digest) => !this.#entries.has(digest))
      if (unknown.length > 0) await this.#loadSome(unknown)
      if (turn.isLong) await turn.end()
    }
  }

  /** @param {string[]} unknown */
  async #loadSome (unknown) {
    const texts = await this.#keyspace.getMany(unknown.map((digest) => this.#layout.attachment(digest)))
    for (let i = 0; i < unknown.length; i++) {
      const text = texts[i]
      const stored = text === undefined ? null : decodeAttachment(text)
      this.#entries.set(unknown[i], stored && { ...stored, data: null, upload: null, stored: stored.references })
    }
  }

  /**
   * Makes contents known; they are kept if the commit refers to them. Equal content is stored once.
   *
   * @param {Array<{ digest: string, content: string, length: number, plainLength: number | null, data: Buffer | null,
   *   upload: Upload | null }>} contents
   */
  async offer (contents) {
    await this.#loadAll(contents, ({ digest }) => digest)
    return inTurns(contents, ({ digest, content, length, plainLength, data, upload }) => {
      const entry = this.#entries.get(digest)
      if (entry) {
        if (upload !== null) this.#superfluous.push(upload)
        entry.plainLength ??= plainLength
      } else {
        this.#entries.set(digest, { content, length, plainLength, references: 0, data, upload, stored: 0 })
      }
    })
  }

  /**
   * Counts a stored revision's digests up or down.
   *
   * @param {string} payload
   * @param {number} step
   */
  async count (payload, step) {
    const text = attachmentsOf(payload)
    if (text === '') return
    const parsed = parseAttachments(text)
    const infos = parsed instanceof Promise ? await parsed : parsed
    const digests = await this.#loadAll(namesOf(infos), (name) => infos[name].digest)
    return inTurns(digests, (digest) => {
      const entry = this.#entries.get(digest)
      if (entry) entry.references += step
    })
  }

  /**
   * Returns the operations that make it so, once the commit is complete.
   *
   * @returns {Finished | Promise<Finished>} a promise of very many
   */
  finish () {
    /** @type {Operation[]} */
    const operations = []
    let bytes = 0
    for (const { content, length } of this.#superfluous) this.#remove(operations, content, length, true)
    const rest = inTurns([...this.#entries.keys()], (digest) => {
      const entry = this.#entries.get(digest)
      if (!entry) return
      if (entry.references > 0) {
        if (entry.stored === 0) bytes += entry.length
        this.#keep(operations, digest, entry)
      } else if (entry.stored > 0) {
        bytes -= entry.length
        operations.push(del(this.#layout.attachment(digest)))
        this.#remove(operations, entry.content, entry.length, false)
      } else if (entry.upload !== null) this.#remove(operations, entry.content, entry.length, true)
    })
    return rest instanceof Promise ? rest.then(() => ({ operations, bytes })) : { operations, bytes }
  }

  /** @param {Operation[]} operations @param {string} digest @param {Entry} entry */
  #keep (operations, digest, entry) {
    if (entry.references === entry.stored) return
    operations.push(put(this.#layout.attachment(digest), encodeAttachment(entry)))
    if (entry.stored > 0) return
    if (entry.upload !== null) operations.push(del(this.#layout.upload(entry.content)))
    else {
      const data = /** @type {Buffer} */ (entry.data)
      putChunks(operations, this.#layout, entry.content, this.#keyspace.keepsBuffers ? Buffer.from(data) : data)
    }
  }

  /**
   * @param {boolean} marked whether a marker names it already, as it does an upload
   * @param {Operation[]} operations
   * @param {string} content
   * @param {number} length
   */
  #remove (operations, content, length, marked) {
    const marker = this.#layout.upload(content)
    if (length > LONG) {
      this.dropped.push(content)
      if (!marked) operations.push(put(marker, ''))
      return
    }
    for (let number = 0; number * CHUNK < length; number++) operations.push(del(this.#layout.chunk(content, number)))
    if (marked) operations.push(del(marker))
  }
}

/** @param {string} text */
function decodeAttachment (text) {
  const [content, length, references, plain] = text.split(' ')
  return { content, length: Number(length), plainLength: plain === undefined ? null : Number(plain), references: Number(references) }
}

/** @param {StoredAttachment} attachment */
function encodeAttachment ({ content, length, plainLength, references }) {
  return `${content} ${length} ${references}${plainLength === null ? '' : ` ${plainLength}`}`
}

/** @param {Operation[]} operations @param {Layout} layout @param {string} content @param {Buffer} data */
function putChunks (operations, layout, content, data) {
  for (let number = 0; number * CHUNK < data.length; number++) {
    operations.push(putBinary(layout.chunk(content, number), data.subarray(number * CHUNK, (number + 1) * CHUNK)))
  }
}

module.exports = { AttachmentStore, decodeAttachment, encodeAttachment, CHUNK }
