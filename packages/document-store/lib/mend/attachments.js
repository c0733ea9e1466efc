'use strict'

const crypto = require('node:crypto')
const { CHUNK, decodeAttachment, encodeAttachment } = require('../attachments/attachment-store')
const { accessOf, attachmentsOf, bodyOf, encodePayload } = require('../media/record')

/**
 * @import { AttachmentInfo } from '../..'
 * @import { StoredAttachment } from '../attachments/attachment-store'
 *
 * @typedef {StoredAttachment & { text?: string }} Whole the record of content that is whole, and its text if it was stored
 */

/**
 * The attachments of one database whose content is whole, by digest. Takes memory for digests, not
 * for content.
 */
class KeptAttachments {
  #mending
  /** @type {Map<string, Whole>} */
  #whole = new Map()
  /** @type {Set<string>} */
  #contents = new Set()
  /** Bytes of those that documents refer to. */
  bytes = 0

  /** @param {import('./mending').Mending} mending */
  constructor (mending) {
    this.#mending = mending
  }

  /** Reads all records and all content, those whose record is lost among it. */
  async load () {
    const { layout } = this.#mending
    for await (const page of this.#mending.entries(layout.range(layout.attachments))) {
      for (const [key, text] of page) await this.#loadRecord(key.slice(layout.attachments.length), text)
    }
    let last = ''
    for await (const page of this.#mending.keys(layout.range(layout.chunks))) {
      for (const key of page) {
        const { content } = layout.chunkOf(key)
        if (content !== last && !this.#contents.has(content)) await this.#loadContent(content)
        last = content
      }
    }
  }

  /** @param {string} digest @param {string} text */
  async #loadRecord (digest, text) {
    const { content, length, plainLength } = decodeAttachment(text)
    const found = await this.#read(content)
    if (found.digest !== digest || found.length !== length) return
    this.#contents.add(content)
    const isSound = plainLength === null || Number.isSafeInteger(plainLength)
    this.#whole.set(digest, { content, length, plainLength: isSound ? plainLength : null, references: 0, text })
  }

  /** @param {string} content */
  async #loadContent (content) {
    const { digest, length } = await this.#read(content)
    if (!this.#whole.has(digest)) this.#whole.set(digest, { content, length, plainLength: null, references: 0 })
  }

  /**
   * Reads chunks up to the first that is missing, or is not full.
   *
   * @param {string} content
   */
  async #read (content) {
    const hash = crypto.createHash('md5')
    let length = 0
    for (let number = 0; length === number * CHUNK; number++) {
      const chunk = await this.#mending.getBinary(this.#mending.layout.chunk(content, number))
      if (chunk === undefined) break
      hash.update(chunk)
      length += chunk.length
    }
    return { digest: 'md5-' + hash.digest('base64'), length }
  }

  /**
   * Counts the references of a stored revision.
   *
   * @param {string} payload
   * @returns {{ payload: string, lost: Array<{ name: string, digest: string }> }} the payload without the
   *   attachments that are lost
   */
  keep (payload) {
    const text = attachmentsOf(payload)
    if (text === '') return { payload, lost: [] }
    const infos = JSON.parse(text)
    const lost = []
    const digests = new Set()
    for (const [name, info] of Object.entries(infos)) {
      const whole = this.#find(info)
      if (whole) digests.add(whole)
      else {
        lost.push({ name, digest: info.digest })
        delete infos[name]
      }
    }
    for (const whole of digests) whole.references++
    if (lost.length === 0) return { payload, lost }
    return { payload: encodePayload(Object.keys(infos).length === 0 ? '' : JSON.stringify(infos), bodyOf(payload), accessOf(payload)), lost }
  }

  /** @param {Pick<AttachmentInfo, 'digest' | 'encoding' | 'length'>} info */
  #find ({ digest, encoding, length }) {
    const whole = this.#whole.get(digest) ?? this.#empty(digest)
    // The record that said so is lost.
    if (whole !== undefined && whole.text === undefined && encoding !== undefined) whole.plainLength ??= length
    return whole
  }

  /**
   * Makes the record of content of no bytes, which has no chunks.
   *
   * @param {string} digest
   * @returns {Whole | undefined}
   */
  #empty (digest) {
    if (digest !== EMPTY_DIGEST) return undefined
    const whole = { content: `empty${crypto.randomBytes(9).toString('base64url')}`, length: 0, plainLength: null, references: 0 }
    this.#whole.set(digest, whole)
    return whole
  }

  /**
   * Writes the records as they have to be, and removes content that nothing refers to.
   *
   * @returns {AsyncGenerator<import('../..').Loss>}
   */
  async * settle () {
    const { layout } = this.#mending
    /** @type {Map<string, number>} */
    const kept = new Map()
    for (const [digest, whole] of this.#whole) {
      if (whole.references === 0) {
        if (whole.text !== undefined) yield { kind: 'content', digest, length: whole.length }
        continue
      }
      kept.set(whole.content, whole.length)
      this.bytes += whole.length
      const text = encodeAttachment(whole)
      if (text !== whole.text) await this.#mending.put(layout.attachment(digest), text)
    }
    await this.#removeRecords()
    await this.#removeChunks(kept)
    for await (const page of this.#mending.keys(layout.range(layout.uploads))) for (const key of page) await this.#mending.remove(key)
    await this.#mending.flush()
  }

  async #removeRecords () {
    const { layout } = this.#mending
    for await (const page of this.#mending.keys(layout.range(layout.attachments))) {
      for (const key of page) if (!this.#isKept(key.slice(layout.attachments.length))) await this.#mending.remove(key)
    }
  }

  /** @param {string} digest */
  #isKept (digest) {
    const whole = this.#whole.get(digest)
    return whole !== undefined && whole.references > 0
  }

  /** @param {Map<string, number>} kept lengths by content */
  async #removeChunks (kept) {
    const { layout } = this.#mending
    for await (const page of this.#mending.keys(layout.range(layout.chunks))) {
      for (const key of page) {
        const { content, number } = layout.chunkOf(key)
        if (!(number * CHUNK < (kept.get(content) ?? 0)) || layout.chunk(content, number) !== key) await this.#mending.remove(key)
      }
    }
  }
}

const EMPTY_DIGEST = 'md5-' + crypto.createHash('md5').digest('base64')

module.exports = { KeptAttachments }
