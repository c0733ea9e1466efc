'use strict'

const { decodeNumber, encodeNumber } = require('./number-encoding')
const { escape, unescape } = require('./string-encoding')

/**
 * JSON values as strings whose UTF-8 is ordered, byte by byte, as the values collate: null, false,
 * true, numbers, strings, arrays, objects. Arrays go element by element, objects member by member
 * as they stand, the name before the value; the shorter one is first.
 *
 *   value   'b' null | 'c' false | 'd' true
 *         | 'e' number | 'f' number          negative; 0 and above: see number-encoding.js
 *         | 'g' string \0                    see string-encoding.js
 *         | 'h' value … \0                   array
 *         | 'i' { 'g' name \0 value } … \0   object
 *
 * No value's encoding begins with another's, so one may be followed by anything, and what follows
 * is compared only where the values are equal. All of it is well-formed, so UTF-8 loses nothing.
 */
const NULL = 'b'
const FALSE = 'c'
const TRUE = 'd'
const STRING = 'g'
const ARRAY = 'h'
const OBJECT = 'i'
const END = '\0'

/**
 * @param {any} value what JSON can hold. As in PouchDB, undefined and numbers that are none count
 *   as null, members that are undefined are left out, and dates are strings.
 * @returns {string}
 * @throws {TypeError} a BigInt; {RangeError} nested without end
 */
function encodeKey (value) {
  switch (typeof value) {
    case 'string': return STRING + escape(value) + END
    case 'number': return Number.isFinite(value) ? encodeNumber(value) : NULL
    case 'boolean': return value ? TRUE : FALSE
    case 'object': return value === null ? NULL : encodeObject(value)
    case 'bigint': throw new TypeError('A BigInt cannot be a key')
    default: return NULL
  }
}

function encodeObject (value) {
  if (Array.isArray(value)) {
    let text = ARRAY
    for (let i = 0; i < value.length; i++) text += encodeKey(value[i])
    return text + END
  }
  if (isDate(value)) return encodeKey(value.toJSON())
  let text = OBJECT
  for (const name of Object.keys(value)) {
    if (isMember(value[name])) text += STRING + escape(name) + END + encodeKey(value[name])
  }
  return text + END
}

/** One from another realm too. */
function isDate (value) { return Object.prototype.toString.call(value) === '[object Date]' }

function isMember (value) { return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' }

/**
 * @param {string} text
 * @param {number} [at] where a value's encoding begins
 * @returns {{ value: any, end: number }} end: behind it
 */
function decodeKey (text, at = 0) {
  const reader = new Reader(text, at)
  const value = reader.value()
  return { value, end: reader.at }
}

class Reader {
  #text
  #at

  constructor (text, at) {
    this.#text = text
    this.#at = at
  }

  get at () { return this.#at }

  value () {
    const tag = this.#text[this.#at++]
    switch (tag) {
      case NULL: return null
      case FALSE: return false
      case TRUE: return true
      case STRING: return this.#string()
      case ARRAY: return this.#array()
      case OBJECT: return this.#object()
      default: return this.#number()
    }
  }

  #string () {
    const end = this.#text.indexOf(END, this.#at)
    const escaped = this.#text.slice(this.#at, end)
    this.#at = end + 1
    return unescape(escaped)
  }

  #number () {
    const { number, end } = decodeNumber(this.#text, this.#at - 1)
    this.#at = end
    return number
  }

  #array () {
    const array = []
    while (this.#text[this.#at] !== END) array.push(this.value())
    this.#at++
    return array
  }

  #object () {
    const members = []
    while (this.#text[this.#at] !== END) {
      const name = this.value()
      members.push([name, this.value()])
    }
    this.#at++
    // Not by assignment, which __proto__ would be lost in.
    return Object.fromEntries(members)
  }
}

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

module.exports = { encodeKey, decodeKey, after }
