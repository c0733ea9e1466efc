'use strict'

const { TermWriter } = require('@potoroo/document-store')

/**
 * Terms in Erlang's external format, as far as CouchDB hashes them into the id of a replication.
 * A term is a number, or one that the functions below make.
 *
 *   97 byte                      an integer of 0 to 255
 *   98 int32                     an integer
 *   70 float64                   a float
 *   100 uint16 bytes             an atom
 *   104 byte terms               a tuple
 *   107 uint16 bytes             a list of bytes: a string
 *   108 uint32 terms 106         a list
 *   106                          the empty list
 *   109 uint32 bytes             a binary
 *   110 byte byte bytes          a larger integer: length, sign, magnitude (little endian)
 *
 * @see https://www.erlang.org/doc/apps/erts/erl_ext_dist.html
 * @typedef {Buffer} Term encoded
 */

/** Every encoded term begins with it. */
const VERSION = Buffer.of(131)

/**
 * @param {string} name
 * @returns {Term}
 */
function atom (name) {
  return Buffer.concat([header(100, 2, name.length), Buffer.from(name, 'latin1')])
}

/**
 * @param {string} text
 * @returns {Term}
 */
function binary (text) {
  const bytes = Buffer.from(text)
  return Buffer.concat([header(109, 4, bytes.length), bytes])
}

/**
 * Text as a list of its bytes.
 *
 * @param {string} text
 * @returns {Term}
 */
function string (text) {
  const bytes = Buffer.from(text)
  if (bytes.length === 0) return list([])
  if (bytes.length > 0xffff) return list([...bytes].map(number))
  return Buffer.concat([header(107, 2, bytes.length), bytes])
}

/** @param {Term[]} terms @returns {Term} */
function list (terms) {
  if (terms.length === 0) return Buffer.of(106)
  return Buffer.concat([header(108, 4, terms.length), ...terms, Buffer.of(106)])
}

/** @param {...Term} terms @returns {Term} */
function tuple (...terms) {
  return Buffer.concat([Buffer.of(104, terms.length), ...terms])
}

/**
 * @param {number} value
 * @returns {Term}
 */
function number (value) {
  if (!Number.isSafeInteger(value)) return float(value)
  if (value >= 0 && value <= 255) return Buffer.of(97, value)
  if (value >= -(2 ** 31) && value < 2 ** 31) {
    const bytes = Buffer.alloc(5, 98)
    bytes.writeInt32BE(value, 1)
    return bytes
  }
  const magnitude = []
  for (let rest = BigInt(Math.abs(value)); rest > 0n; rest >>= 8n) magnitude.push(Number(rest & 255n))
  return Buffer.of(110, magnitude.length, value < 0 ? 1 : 0, ...magnitude)
}

/** @param {number} value */
function float (value) {
  const bytes = Buffer.alloc(9, 70)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

const writer = new TermWriter()

/**
 * JSON as CouchDB holds it, as documents are hashed: a list of small integers is a string.
 *
 * @param {any} value
 * @returns {Term}
 */
function json (value) {
  const text = JSON.stringify(value)
  writer.begin(text.length, 0)
  writer.json(text)
  return Buffer.from(writer.end().subarray(VERSION.length))
}

/**
 * The bytes that Erlang's `term_to_binary` gives.
 *
 * @param {Term} term
 */
function encode (term) {
  return Buffer.concat([VERSION, term])
}

/** @param {number} tag @param {number} width bytes of the length @param {number} length */
function header (tag, width, length) {
  const bytes = Buffer.alloc(1 + width, tag)
  bytes.writeUIntBE(length, 1, width)
  return bytes
}

module.exports = { atom, binary, string, list, tuple, number, json, encode }
