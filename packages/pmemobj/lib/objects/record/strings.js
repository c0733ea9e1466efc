'use strict'

const { constants } = require('node:buffer')
const { damaged } = require('./reader')
const { TAG } = require('./layout')

// Calls of Buffer's methods cost more than that many characters one by one.
const ONE_BY_ONE = 48

/**
 * Any UTF-16: as Latin-1 where that holds it, otherwise as code units. With its tag.
 *
 * @param {import('./writer').Writer} writer
 * @param {string} string
 */
function writeString (writer, string) {
  if (string.length > ONE_BY_ONE || !writeShort(writer, string)) writeLong(writer, string)
}

/**
 * False where a character is not Latin-1: nothing is written then.
 *
 * @param {import('./writer').Writer} writer
 * @param {string} string
 */
function writeShort (writer, string) {
  const { length } = string
  writer.reserve(length + 2)
  const { bytes } = writer
  let { at } = writer
  bytes[at++] = TAG.latin1
  bytes[at++] = length
  for (let i = 0; i < length; i++) {
    const code = string.charCodeAt(i)
    if (code > 255) return false
    bytes[at++] = code
  }
  writer.at = at
  return true
}

/** @param {import('./writer').Writer} writer @param {string} string */
function writeLong (writer, string) {
  const isLatin1 = !/[^\0-\xff]/.test(string)
  writer.reserve(2 * string.length + 10)
  writer.u8(isLatin1 ? TAG.latin1 : TAG.utf16)
  writer.varint(string.length)
  writer.at += writer.bytes.write(string, writer.at, isLatin1 ? 'latin1' : 'utf16le')
}

/** @param {number} [tag] where it has been read @param {import('./reader').Reader} reader */
function readString (reader, tag = reader.u8()) {
  const length = reader.varint()
  if (length > constants.MAX_STRING_LENGTH) throw damaged()
  if (tag === TAG.latin1) {
    const at = reader.take(length)
    return reader.bytes.latin1Slice(at, at + length)
  }
  if (tag !== TAG.utf16) throw damaged()
  const at = reader.take(2 * length)
  return reader.bytes.ucs2Slice(at, at + 2 * length)
}

/** @param {import('./writer').Writer} writer @param {symbol} symbol one of `Symbol.for()` */
function writeSymbol (writer, symbol) {
  writer.reserve(1)
  writer.u8(TAG.symbol)
  writeString(writer, /** @type {string} */ (Symbol.keyFor(symbol)))
}

/** @param {import('./reader').Reader} reader after the tag */
function readSymbol (reader) {
  return Symbol.for(readString(reader))
}

/** The name of a property. @param {import('./writer').Writer} writer @param {string | symbol} name */
function writeName (writer, name) {
  if (typeof name === 'string') writeString(writer, name)
  else writeSymbol(writer, name)
}

/** @param {import('./reader').Reader} reader @returns {string | symbol} */
function readName (reader) {
  const tag = reader.u8()
  return tag === TAG.symbol ? readSymbol(reader) : readString(reader, tag)
}

module.exports = { readName, readString, readSymbol, writeName, writeString, writeSymbol }
