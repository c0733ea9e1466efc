'use strict'

/** Bytes whose number is not known beforehand. */
class GrowingBytes {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)
  #size = 0

  get size () { return this.#size }

  /** @param {Buffer} part */
  add (part) {
    const size = this.#size + part.length
    if (size > this.#bytes.length) this.#grow(size)
    part.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** @param {number} least */
  #grow (least) {
    const bytes = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length))
    this.#bytes.copy(bytes, 0, 0, this.#size)
    this.#bytes = bytes
  }

  take () { return this.#bytes.subarray(0, this.#size) }
}

module.exports = { GrowingBytes }
