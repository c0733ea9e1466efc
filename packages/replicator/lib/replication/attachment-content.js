'use strict'

/** Bytes up to which content goes along with its document. */
const SMALL = 64 * 1024

/** An attachment's content that is read where it is, when it is wanted: whoever takes it iterates it. */
class AttachmentContent {
  #open

  /** The error of reading it, so that it is not taken for a refusal of the target. @type {any} */
  failure = null

  /** The coding that a peer sends it in, once it is opened. @type {string | undefined} */
  encoding

  /**
   * @param {number} length bytes
   * @param {() => Promise<AsyncIterable<Uint8Array>>} open
   */
  constructor (length, open) {
    this.length = length
    this.#open = open
  }

  get isSmall () { return this.length <= SMALL }

  async * [Symbol.asyncIterator] () {
    try {
      yield * await this.#open()
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  /** All of it; for what is small. */
  async read () {
    const chunks = []
    for await (const chunk of this) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}

/** @param {import('./side').FetchedDocument} document */
function contentsOf ({ attachments }) {
  return Object.values(attachments ?? {}).flatMap(({ data }) => data instanceof AttachmentContent ? [data] : [])
}

/**
 * The generation up to which the target has a document's attachments: that of the newest of its
 * revisions that this one descends from.
 *
 * @param {{ start: number, ids: string[] } | undefined} revisions
 * @param {string[]} attsSince
 */
function knownGeneration (revisions, attsSince) {
  if (revisions === undefined || attsSince.length === 0) return 0
  const { start, ids } = revisions
  const history = new Set(ids.map((hash, i) => `${start - i}-${hash}`))
  return Math.max(0, ...attsSince.filter(rev => history.has(rev)).map(rev => parseInt(rev, 10)))
}

module.exports = { AttachmentContent, contentsOf, knownGeneration, SMALL }
