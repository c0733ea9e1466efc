'use strict'

/** An attachment's content that is read where it is, when it is wanted: whoever takes it iterates it. */
class AttachmentContent {
  #open

  /**
   * @param {{ length: number, digest: string }} stub of it, at the source
   * @param {() => Promise<AsyncIterable<Uint8Array>>} open
   */
  constructor ({ length, digest }, open) {
    this.length = length
    this.digest = digest
    this.#open = open
  }

  async * [Symbol.asyncIterator] () {
    yield * await this.#open()
  }
}

/** Whether content of this document is yet to be read. */
function hasContent (doc) {
  return Object.values(doc._attachments ?? {}).some(({ data }) => data instanceof AttachmentContent)
}

module.exports = { AttachmentContent, hasContent }
