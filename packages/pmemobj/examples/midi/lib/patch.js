'use strict'

// What lies within a cache line of each other is saved together.
const CACHE_LINE = 64

/**
 * Bytes that an edit gives a file. They are collected first: an edit that turns out not to be
 * possible has touched nothing.
 */
class Patch {
  /** @type {Array<{ offset: number, byte: number }>} ascending */
  #changes = []

  /**
   * @param {number} offset after those that were set before
   * @param {Iterable<number>} bytes
   */
  set (offset, bytes) {
    for (const byte of bytes) this.#changes.push({ offset: offset++, byte })
  }

  /** How many bytes it sets. */
  get size () { return this.#changes.length }

  /**
   * Writes into a file that lies in a pool, in a transaction: what was there is saved before, and
   * comes back where the transaction does not end well.
   *
   * @param {import('pmemobj').PersistentArrayBuffer} buffer
   * @returns {number} how many bytes were saved and flushed
   */
  apply (buffer) {
    const bytes = new Uint8Array(buffer)
    let saved = 0
    for (const { offset, length } of this.#ranges()) {
      buffer.snapshot(offset, length)
      saved += length
    }
    for (const { offset, byte } of this.#changes) bytes[offset] = byte
    return saved
  }

  * #ranges () {
    let offset = 0
    let end = -Infinity
    for (const change of this.#changes) {
      if (change.offset >= end + CACHE_LINE) {
        if (end > offset) yield { offset, length: end - offset }
        offset = change.offset
      }
      end = change.offset + 1
    }
    if (end > offset) yield { offset, length: end - offset }
  }
}

module.exports = { Patch }
