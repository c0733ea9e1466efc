'use strict'

/** Bytes and UTF-16 units of documents that may be in memory for one reader, where they go on in one go. */
const TARGET = 2 * 1024 * 1024

/** The same where each goes on by itself, at the pace of who reads them: thousands may read slowly. */
const TARGET_OF_SLOW = 128 * 1024

const FIRST = 16
const MOST = 256

/** How many documents a reader takes at a time: fewer where they are large. */
class PartSize {
  #target
  rows = FIRST

  /** @param {number} [target] */
  constructor (target = TARGET) {
    this.#target = target
  }

  /** Learns from the documents that were read last. @param {number} count @param {number} weight of them together */
  learnWeight (count, weight) {
    if (count > 0) this.rows = Math.max(1, Math.min(MOST, Math.floor(this.#target * count / Math.max(1, weight))))
  }
}

module.exports = { PartSize, TARGET_OF_SLOW }
