'use strict'

const { isAscii } = require('node:buffer')
const { NameList } = require('./name-list')

const [SPACE, QUOTE, COMMA, MINUS, DOT, ZERO, NINE, COLON, BACKSLASH] = [32, 34, 44, 45, 46, 48, 57, 58, 92]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]
const [CAPITAL_E, LETTER_E, LETTER_F, LETTER_N, LETTER_T] = [69, 101, 102, 110, 116]

/** Says where something is not written as `JSON.stringify` writes it. */
const NOT = -1

/** Containers in each other that are looked into. */
const DEEPEST = 64

/** Digits of an integer that JavaScript surely holds, and of a number with a point. */
const SURE_DIGITS = 15
const MOST_DIGITS = 20

/** By byte, whether it stands for itself in a string. */
const isPlain = Uint8Array.from({ length: 256 }, (_, code) => Number(code >= 32 && code !== QUOTE && code !== BACKSLASH))
/** By byte, whether it is white space. */
const isBlank = Uint8Array.from({ length: 256 }, (_, code) => Number('\t\n\r '.includes(String.fromCharCode(code))))
/** By byte, whether a backslash before it is needed. */
const isEscape = Uint8Array.from({ length: 256 }, (_, code) => Number('"\\bfnrt'.includes(String.fromCharCode(code))))

/**
 * Finds the ends of what is written as `JSON.stringify` writes it, byte by byte. Whatever is written in another way is left to a
 * parser: white space, escapes that are not needed, numbers that JavaScript may not hold, two members of one name, and all that is
 * not JSON.
 */
class BareScanner {
  #isAscii
  #names

  /** @param {Buffer} bytes of UTF-8 */
  constructor (bytes) {
    this.bytes = bytes
    this.#isAscii = isAscii(bytes)
    this.#names = new NameList(bytes)
  }

  /** How many names of open objects are known: what `nameAt` is told of an object that begins. */
  get names () { return this.#names.length }

  /** Forgets the names of an object that ends. @param {number} first */
  leave (first) { this.#names.cut(first) }

  /** @param {number} start @param {number} end */
  text (start, end) { return this.#isAscii ? this.bytes.latin1Slice(start, end) : this.bytes.utf8Slice(start, end) }

  /** The string that stands there, with its quotes. @param {number} start @param {number} end */
  string (start, end) {
    const text = this.text(start + 1, end - 1)
    return text.includes('\\') ? JSON.parse(`"${text}"`) : text
  }

  /** Whether there is nothing from there on, besides JSON's white space: JavaScript knows more. @param {number} at */
  isEnd (at) {
    const { bytes } = this
    while (isBlank[bytes[at]] === 1) at++
    return at === bytes.length
  }

  /** Whether these bytes stand there. @param {number} start @param {Uint8Array} codes */
  stands (start, codes) {
    const { bytes } = this
    for (let i = 0; i < codes.length; i++) if (bytes[start + i] !== codes[i]) return false
    return true
  }

  /**
   * Reads the name of a member and the colon behind it.
   *
   * @param {number} start
   * @param {number} first of the names of its object
   * @returns {number} where its value begins
   */
  nameAt (start, first) {
    const { bytes } = this
    if (bytes[start] !== QUOTE) return NOT
    let at = start + 1
    while (isPlain[bytes[at]] === 1) at++
    if (bytes[at] !== QUOTE || bytes[at + 1] !== COLON || !this.#names.add(first, start + 1, at)) return NOT
    return at + 2
  }

  /** @param {number} at @param {number} [depth] that is left @returns {number} behind the value */
  endOfValue (at, depth = DEEPEST) {
    const code = this.bytes[at]
    if (code === QUOTE) return this.endOfString(at)
    if (code <= NINE) return this.#endOfNumber(at)
    if (code === OPEN_OBJECT) return depth === 0 ? NOT : this.#endOfObject(at, depth - 1)
    if (code === OPEN_ARRAY) return depth === 0 ? NOT : this.#endOfArray(at, depth - 1)
    return this.#endOfLiteral(at, code)
  }

  /** @param {number} start @param {number} depth */
  #endOfObject (start, depth) {
    const { bytes } = this
    if (bytes[start + 1] === CLOSE_OBJECT) return start + 2
    const first = this.#names.length
    let at = start
    do {
      const value = this.nameAt(at + 1, first)
      at = value === NOT ? NOT : this.endOfValue(value, depth)
      if (at === NOT) return NOT
    } while (bytes[at] === COMMA)
    this.#names.cut(first)
    return bytes[at] === CLOSE_OBJECT ? at + 1 : NOT
  }

  /** @param {number} start @param {number} depth */
  #endOfArray (start, depth) {
    const { bytes } = this
    if (bytes[start + 1] === CLOSE_ARRAY) return start + 2
    let at = start
    do {
      at = this.endOfValue(at + 1, depth)
      if (at === NOT) return NOT
    } while (bytes[at] === COMMA)
    return bytes[at] === CLOSE_ARRAY ? at + 1 : NOT
  }

  /** @param {number} start of its quote */
  endOfString (start) {
    const { bytes } = this
    let at = start + 1
    for (;;) {
      while (isPlain[bytes[at]] === 1) at++
      if (bytes[at] === QUOTE) return at + 1
      if (bytes[at] !== BACKSLASH || isEscape[bytes[at + 1]] !== 1) return NOT
      at += 2
    }
  }

  /** @param {number} start */
  #endOfNumber (start) {
    const { bytes } = this
    const first = bytes[start] === MINUS ? start + 1 : start
    let at = this.#endOfDigits(first)
    if (at === first || at - first > SURE_DIGITS || (bytes[first] === ZERO && at - first > 1)) return NOT
    const whole = at
    if (bytes[at] === DOT) at = this.#endOfDigits(at + 1)
    if (at === whole + 1 || at - first > MOST_DIGITS || bytes[at] === LETTER_E || bytes[at] === CAPITAL_E) return NOT
    // There is no negative zero among CouchDB's integers.
    return first > start && bytes[first] === ZERO && at === whole ? NOT : at
  }

  /** @param {number} at */
  #endOfDigits (at) {
    const { bytes } = this
    while (bytes[at] >= ZERO && bytes[at] <= NINE) at++
    return at
  }

  /** @param {number} at @param {number} code */
  #endOfLiteral (at, code) {
    const name = code === LETTER_T ? 'true' : code === LETTER_F ? 'false' : code === LETTER_N ? 'null' : ''
    for (let i = 0; i < name.length; i++) if (this.bytes[at + i] !== name.charCodeAt(i)) return NOT
    return name === '' ? NOT : at + name.length
  }

  /**
   * Goes past what others write in the same way, or with spaces in between.
   *
   * @param {Uint8Array} codes
   * @param {number} start
   */
  past (codes, start) {
    const { bytes } = this
    let at = start
    for (let i = 0; i < codes.length; i++) {
      while (bytes[at] === SPACE) at++
      if (bytes[at++] !== codes[i]) return NOT
    }
    while (bytes[at] === SPACE) at++
    return at
  }
}

module.exports = { BareScanner, NOT }
