'use strict'

const { MidiError } = require('./midi-error')

// A variable-length quantity has seven bits a byte, and at most four bytes.
const LONGEST_QUANTITY = 4

/** Reads numbers, most significant byte first, from a part of a file. */
class ByteCursor {
  #bytes
  #end

  /**
   * @param {Uint8Array} bytes a whole file
   * @param {number} start
   * @param {number} end the first byte that is not read
   */
  constructor (bytes, start, end) {
    this.#bytes = bytes
    this.#end = end
    this.offset = start
  }

  get left () {
    return this.#end - this.offset
  }

  /** @returns {number} the next byte, which stays the next one */
  peek () {
    this.#need(1)
    return this.#bytes[this.offset]
  }

  /** @param {number} size in bytes, at most 4 */
  number (size) {
    const from = this.skip(size)
    let value = 0
    for (let i = from; i < this.offset; i++) value = value * 256 + this.#bytes[i]
    return value
  }

  /** A variable-length quantity: 0 to 2^28 - 1. */
  quantity () {
    const from = this.offset
    let value = 0
    for (let i = 0; i < LONGEST_QUANTITY; i++) {
      const byte = this.number(1)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new MidiError('A variable-length quantity has more than four bytes', from)
  }

  /**
   * @param {number} size in bytes
   * @returns {number} where they begin
   */
  skip (size) {
    this.#need(size)
    const from = this.offset
    this.offset += size
    return from
  }

  #need (size) {
    if (size > this.left) throw new MidiError(`The file or track ends too early: ${size} bytes are wanted, ${this.left} are left`, this.offset)
  }
}

module.exports = { ByteCursor }
