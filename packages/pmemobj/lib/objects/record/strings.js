'use strict'

const { damaged } = require('./reader')
const { TAG } = require('./layout')

// Calls of Buffer's methods cost more than so many characters one by one.
const ONE_BY_ONE = 48

/** Any UTF-16: as Latin-1 where that holds it, otherwise as code units. With its tag. */
function writeString (writer, string) {
  const start = writer.at
  const { length } = string
  writer.reserve(2 * length + 10)
  writer.u8(TAG.latin1)
  writer.varint(length)
  if (length <= ONE_BY_ONE ? copyLatin1(writer, string) : copyLongLatin1(writer, string)) return
  writer.at = start
  writer.u8(TAG.utf16)
  writer.varint(length)
  writer.at += writer.bytes.write(string, writer.at, 'utf16le')
}

/** False where a character is not Latin-1. */
function copyLatin1 (writer, string) {
  const { bytes } = writer
  let { at } = writer
  for (let i = 0; i < string.length; i++) {
    const code = string.charCodeAt(i)
    if (code > 255) return false
    bytes[at++] = code
  }
  writer.at = at
  return true
}

function copyLongLatin1 (writer, string) {
  if (/[^\0-\xff]/.test(string)) return false
  writer.at += writer.bytes.write(string, writer.at, 'latin1')
  return true
}

/** @param {number} [tag] where it has been read */
function readString (reader, tag = reader.u8()) {
  const length = reader.varint()
  if (tag === TAG.latin1) {
    const at = reader.take(length)
    return reader.bytes.latin1Slice(at, at + length)
  }
  if (tag !== TAG.utf16) throw damaged()
  const at = reader.take(2 * length)
  return reader.bytes.ucs2Slice(at, at + 2 * length)
}

module.exports = { readString, writeString }
