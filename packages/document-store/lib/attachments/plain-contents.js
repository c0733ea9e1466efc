'use strict'

/** Bytes of one content, and of all, that are kept. */
const MOST_OF_ONE = 16 * 1024
const MOST = 4 * 1024 * 1024

/**
 * Keeps little content as it was before it was compressed: to unpack it takes as long as the rest of a request. No two
 * contents ever have one name, and none changes, so nothing here is ever out of date.
 */
class PlainContents {
  #most
  /** By name, those that were asked for last at the end. @type {Map<string, Buffer>} */
  #contents = new Map()
  #bytes = 0

  /** @param {number} [most] bytes of all */
  constructor (most = MOST) {
    this.#most = most
  }

  /** @param {string} name @returns {Buffer | undefined} which nobody may change */
  get (name) {
    const plain = this.#contents.get(name)
    if (plain === undefined) return undefined
    this.#contents.delete(name)
    this.#contents.set(name, plain)
    return plain
  }

  /** @param {string} name @param {Buffer} plain */
  add (name, plain) {
    if (plain.length > MOST_OF_ONE || this.#contents.has(name)) return
    this.#contents.set(name, plain)
    this.#bytes += plain.length
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= this.#most) return
      this.#contents.delete(oldest)
      this.#bytes -= length
    }
  }
}

module.exports = { PlainContents }
