'use strict'

const { decodeNumber, encodeNumber } = require('./number-encoding')

/**
 * JSON values as text whose UTF-8 is ordered, byte by byte, as the values collate. Arrays go element by
 * element, objects member by member as they stand, the name before the value; the shorter one is first.
 *
 *   value   null | false | true            a tag alone
 *         | 'e' number | 'f' number        negative; 0 and above: see number-encoding.js
 *         | string tag, text \0            no other \0 in it: see code-unit-strings.js and others
 *         | array tag, value …, \0
 *         | object tag, { string tag, name \0, value } …, \0
 *
 * Tags are letters in the order of the types. No value's encoding begins with another's, so one may be
 * followed by anything, and what follows is compared only where the values are equal. All of it is
 * well-formed and without surrogates, so that UTF-8 loses nothing, and code units have its order.
 *
 * @typedef {{ null: string, false: string, true: string, string: string, array: string, object: string }} Tags
 *   letters; those of numbers are 'e' and 'f'
 * @typedef {{ encode: (text: string) => string, decode: (text: string) => string }} Strings
 *   an encoded one ends with its only \0, which decode does without
 */
const END = '\0'

/** Far deeper than anybody means, and far from where the stack ends. */
const DEEPEST = 1000

class KeyEncoding {
  #tags
  #strings

  /** @param {Tags} tags @param {Strings} strings */
  constructor (tags, strings) {
    this.#tags = tags
    this.#strings = strings
  }

  /**
   * @param {any} value what JSON can hold. As in PouchDB, undefined and numbers that are none count
   *   as null, members that are undefined are left out, and dates are strings.
   * @returns {string}
   * @throws {TypeError} a BigInt; {RangeError} nested deeper than a thousand times
   */
  encode (value) { return this.#encode(value, 0) }

  /** @param {any} value @param {number} depth @returns {string} */
  #encode (value, depth) {
    switch (typeof value) {
      case 'string': return this.#tags.string + this.#strings.encode(value)
      case 'number': return Number.isFinite(value) ? encodeNumber(value) : this.#tags.null
      case 'boolean': return value ? this.#tags.true : this.#tags.false
      case 'object': return value === null ? this.#tags.null : this.#encodeObject(value, depth + 1)
      case 'bigint': throw new TypeError('A BigInt cannot be a key')
      default: return this.#tags.null
    }
  }

  /** @param {any} value @param {number} depth @returns {string} */
  #encodeObject (value, depth) {
    if (depth > DEEPEST) throw new RangeError('Nested too deeply for a key')
    if (Array.isArray(value)) {
      let text = this.#tags.array
      for (let i = 0; i < value.length; i++) text += this.#encode(value[i], depth)
      return text + END
    }
    if (isDate(value)) return this.#encode(value.toJSON(), depth)
    let text = this.#tags.object
    for (const name of Object.keys(value)) {
      if (isMember(value[name])) text += this.#encode(name, depth) + this.#encode(value[name], depth)
    }
    return text + END
  }

  /**
   * @param {string} text
   * @param {number} [at] where a value's encoding begins
   * @returns {{ value: any, end: number }} end: behind it
   */
  decode (text, at = 0) {
    const { string, array, object } = this.#tags
    switch (text[at]) {
      case string: return this.#decodeString(text, at + 1)
      case array: return this.#decodeArray(text, at + 1)
      case object: return this.#decodeObject(text, at + 1)
      case this.#tags.null: return { value: null, end: at + 1 }
      case this.#tags.false: return { value: false, end: at + 1 }
      case this.#tags.true: return { value: true, end: at + 1 }
      default: return decodeNumber(text, at)
    }
  }

  /** @param {string} text @param {number} at */
  #decodeString (text, at) {
    const end = text.indexOf(END, at)
    return { value: this.#strings.decode(text.slice(at, end)), end: end + 1 }
  }

  /** @param {string} text @param {number} at */
  #decodeArray (text, at) {
    const array = []
    while (text[at] !== END) {
      const { value, end } = this.decode(text, at)
      array.push(value)
      at = end
    }
    return { value: array, end: at + 1 }
  }

  /** @param {string} text @param {number} at */
  #decodeObject (text, at) {
    const members = []
    while (text[at] !== END) {
      const name = this.decode(text, at)
      const member = this.decode(text, name.end)
      members.push([name.value, member.value])
      at = member.end
    }
    // Not by assignment, which __proto__ would be lost in.
    return { value: Object.fromEntries(members), end: at + 1 }
  }

  /**
   * Returns the end of a value's encoding, without decoding it.
   *
   * @param {string} text
   * @param {number} at where it begins
   * @returns {number} behind it
   */
  end (text, at) {
    const { string, array, object } = this.#tags
    let depth = 0
    do {
      const tag = text[at]
      if (tag === array || tag === object) depth++
      if (tag === END) depth--
      if (tag === string || tag === 'f') at = text.indexOf(END, at)
      else if (tag === 'e') at = text.indexOf('~', at)
      at++
    } while (depth > 0)
    return at
  }
}

/** Knows a date of another realm too. @param {any} value @returns {value is Date} */
function isDate (value) { return Object.prototype.toString.call(value) === '[object Date]' }

/** @param {unknown} value */
function isMember (value) { return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' }

/**
 * The least string after everything that begins with `text`, an encoded value or its head.
 *
 * @param {string} text
 */
function after (text) {
  const last = text.charCodeAt(text.length - 1)
  return text.slice(0, -1) + String.fromCharCode(last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1)
}

const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

module.exports = { KeyEncoding, isDate, isMember, after }
