'use strict'

/*
 * Numbers as ASCII: six bits a character, the lowest first; 64 says that more follow. Levels and JavaScript keep such
 * texts a byte a character, and read them without a copy, which buffers need.
 */

const MORE = 64
const BITS = 63

/** Gathers numbers and characters. */
class NumberWriter {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  /** @param {number} number an integer, 0 to 2^53 - 1 */
  put (number) {
    if (this.#length + 10 > this.#bytes.length) this.#grow()
    while (number > BITS) {
      this.#bytes[this.#length++] = MORE | (number % MORE)
      number = Math.floor(number / MORE)
    }
    this.#bytes[this.#length++] = number
  }

  /** @param {number} code 0 to 127, as it is */
  putCode (code) {
    if (this.#length === this.#bytes.length) this.#grow()
    this.#bytes[this.#length++] = code
  }

  #grow () {
    const bytes = Buffer.allocUnsafe(2 * this.#bytes.length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }

  /** Characters since the last time that they were taken. */
  get length () { return this.#length }

  /** Puts what was put since the last time into bytes. @param {Buffer} bytes @param {number} at @returns {number} how many */
  moveTo (bytes, at) {
    const from = this.#bytes
    const length = this.#length
    for (let i = 0; i < length; i++) bytes[at + i] = from[i]
    this.#length = 0
    return length
  }

  /** Returns what was put since the last time. */
  take () {
    const text = this.#bytes.latin1Slice(0, this.#length)
    this.#length = 0
    return text
  }
}

/** Reads what a `NumberWriter` wrote. */
class NumberReader {
  /** @param {string} text @param {number} [at] where to begin */
  constructor (text, at = 0) {
    this.text = text
    this.at = at
  }

  next () {
    const { text } = this
    let code = text.charCodeAt(this.at++)
    if (code <= BITS) return code
    let number = code & BITS
    for (let factor = MORE; ; factor *= MORE) {
      code = text.charCodeAt(this.at++)
      number += (code & BITS) * factor
      if (code <= BITS) return number
    }
  }

  nextCode () { return this.text.charCodeAt(this.at++) }
}

/** How many characters a number has. @param {number} number */
function lengthOf (number) {
  let length = 1
  for (; number > BITS; number = Math.floor(number / MORE)) length++
  return length
}

module.exports = { NumberReader, NumberWriter, lengthOf }
