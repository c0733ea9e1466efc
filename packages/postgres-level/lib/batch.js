'use strict'

const { arrayOf, bufferOf } = require('./values')
const { storedKey } = require('./stored-key')

/**
 * @typedef {{ type: 'put' | 'del', key: Uint8Array, value?: Uint8Array }} Operation
 * @typedef {{ stored: Buffer, tail: Buffer | null, value: Buffer | null }} Change without a value: a deletion
 */

/** Bytes, and changes, that one statement takes. */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_CHANGES = 20_000

/** The changes of a batch in the end: the last operation on a key wins. */
class Batch {
  /** By key, as text of a byte a character. @type {Map<string, Change>} */
  #changes = new Map()

  /** @param {Operation[]} operations */
  constructor (operations) {
    for (const { type, key, value } of operations) {
      const { stored, tail } = storedKey(bufferOf(key))
      const text = stored.latin1Slice(0, stored.length)
      // A later one takes the place of an earlier one.
      this.#changes.set(text, { stored, tail, value: type === 'put' ? bufferOf(/** @type {Uint8Array} */ (value)) : null })
    }
  }

  /** The keys. */
  keys () { return this.#changes.keys() }

  /**
   * The parameters of its statements, in the order of keys, so that batches lock them in one order.
   *
   * @returns {Buffer[][]} for each: keys to delete; keys, tails and values to write
   */
  parameters () {
    const texts = [...this.#changes.keys()].sort()
    const parts = [new Part()]
    for (const text of texts) {
      let part = parts[parts.length - 1]
      if (part.isFull) parts.push(part = new Part())
      part.add(/** @type {Change} */ (this.#changes.get(text)))
    }
    return parts.map(part => part.parameters())
  }
}

/** One statement of a batch. */
class Part {
  /** @type {Buffer[]} */
  #removed = []
  /** @type {Buffer[]} */
  #keys = []
  /** @type {Array<Buffer | null>} */
  #tails = []
  /** @type {Buffer[]} */
  #values = []
  #bytes = 0

  get isFull () { return this.#bytes > MOST_BYTES || this.#removed.length + this.#keys.length >= MOST_CHANGES }

  /** @param {Change} change */
  add ({ stored, tail, value }) {
    if (value === null) {
      this.#removed.push(stored)
      return
    }
    this.#keys.push(stored)
    this.#tails.push(tail)
    this.#values.push(value)
    this.#bytes += value.length
  }

  parameters () {
    return [arrayOf(this.#removed), arrayOf(this.#keys), arrayOf(this.#tails), arrayOf(this.#values)]
  }
}

module.exports = { Batch }
