'use strict'

const { decodeAttachment } = require('../attachments/attachment-store')

/**
 * @import { Scan } from './scan'
 */

/**
 * Stores whose damage is told by the store and the rest of the key.
 *
 * @type {Record<string, string | undefined>}
 */
const WORDS = {
  a: 'The record of attachment',
  l: 'The local document',
  m: 'The value',
  p: 'The purge at',
  s: 'The change at',
  t: 'The totals of partition',
  u: 'The mark of content'
}

/**
 * Brings what a scrub has found into the order of keys.
 *
 * @param {import('../..').Fault[]} faults
 * @returns {import('./readable-pages').Fault[]}
 */
function inOrder (faults) {
  return faults.map(({ kind, key }) => ({ kind, key: key.toString(), bytes: Buffer.from(key) })).sort((a, b) => Buffer.compare(a.bytes, b.bytes))
}

/** The damage of one database: known beforehand, or found while it is read. */
class Damage {
  #layout
  /** Whether all that is damaged is known. */
  #scrubbed
  /** Keys of content whose bytes are damaged. */
  #contents = new Set()
  /** Digests of attachments whose content is. */
  digests = new Set()
  /** @type {string[]} sentences about what cannot be read */
  #gaps = []

  /**
   * @param {import('../media/layout').Layout} layout
   * @param {import('./readable-pages').Fault[]} faults those of the storage, in order
   */
  constructor (layout, faults) {
    this.#layout = layout
    this.#scrubbed = faults.length > 0
    this.faults = faults.filter(({ key }) => key.startsWith(layout.prefix))
    /** Whether anything is damaged, so that counts cannot agree. */
    this.found = this.faults.length > 0
    for (const { kind, key } of this.faults) if (kind === 'value' && key.startsWith(layout.chunks)) this.#contents.add(layout.chunkOf(key).content)
  }

  /** Tells of the damage that is known. Damaged content is told with the documents that have it. */
  * known () {
    for (const { kind, key } of this.faults) {
      if (kind !== 'value') yield `Entries from the key ${JSON.stringify(key)} on are damaged`
      else if (!key.startsWith(this.#layout.chunks)) yield this.#inWords(key)
    }
  }

  /** @param {string} key */
  #inWords (key) {
    const layout = this.#layout
    const rest = layout.idOf(key)
    if (key.startsWith(layout.documents)) return `The document ${JSON.stringify(rest)} is damaged`
    if (key.startsWith(layout.indexes)) return 'An index is damaged, and is made anew when its design document changes'
    if (key.startsWith(layout.revisions)) {
      const { id, rev } = layout.revisionOf(key)
      return `The document ${JSON.stringify(id)} is damaged at ${rev}`
    }
    if (key.startsWith(layout.versions)) return `An earlier version of the document ${JSON.stringify(layout.versionOf(key).id)} is damaged`
    const words = WORDS[key[layout.prefix.length]] ?? 'The value of the key'
    return `${words} ${JSON.stringify(rest)} is damaged`
  }

  /**
   * Finds the digests of content that is damaged.
   *
   * @param {Scan} scan
   */
  async * content (scan) {
    if (this.#contents.size === 0) return
    const known = new Set()
    for await (const page of scan.entries(this.#layout.range(this.#layout.attachments))) {
      for (const [key, text] of page) {
        const { content } = decodeAttachment(text)
        if (!this.#contents.has(content)) continue
        known.add(content)
        this.digests.add(key.slice(this.#layout.attachments.length))
      }
    }
    for (const content of this.#contents) if (!known.has(content)) yield `The content ${content} of an attachment is damaged`
  }

  /**
   * Notes that entries between two keys cannot be read.
   *
   * @param {string} from
   * @param {string | null} to
   */
  gap (from, to) {
    this.found = true
    if (this.#scrubbed) return
    const sentence = `Entries after the key ${JSON.stringify(from)}${to === null ? '' : ` and before ${JSON.stringify(to)}`} cannot be read`
    if (!this.#gaps.includes(sentence)) this.#gaps.push(sentence)
  }

  * gaps () { yield * this.#gaps }

  /**
   * Returns the error of a read that met damage: it is told only if nothing else tells of it.
   *
   * @param {unknown} cause
   */
  unreadable (cause) {
    this.found = true
    return Object.assign(new Error('part of it is damaged', { cause }), { code: 'UNREADABLE', told: this.#scrubbed })
  }
}

module.exports = { Damage, inOrder }
