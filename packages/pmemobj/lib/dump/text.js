'use strict'

// How bytes are written in a dump. `bytevalue`: two hexadecimal digits each. `print`: printable
// ASCII as it is, and any other byte, and the backslash, as a backslash and two hexadecimal digits.
// A backslash may be written twice too, but mdb_load of LMDB 0.9.24 takes that for another byte.

const UNPRINTABLE = /[\p{Cc}\\]/gu
const DIGITS = Buffer.from('0123456789abcdef')
const BACKSLASH = 0x5c
// The value of each digit's character; NaN for any other.
const VALUES = Float64Array.from({ length: 256 }, (_, i) => parseInt(String.fromCharCode(i), 16))

const isPlain = (/** @type {number} */ byte) => byte >= 0x20 && byte < 0x7f && byte !== BACKSLASH

/** @type {Record<string, (bytes: Buffer) => string>} bytes → latin1 */
const encoders = {
  bytevalue: bytes => bytes.toString('hex'),
  print (bytes) {
    const text = Buffer.allocUnsafe(bytes.length * 3)
    let end = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]
      if (isPlain(byte)) {
        text[end++] = byte
      } else {
        text[end++] = BACKSLASH
        text[end++] = DIGITS[byte >> 4]
        text[end++] = DIGITS[byte & 15]
      }
    }
    return text.toString('latin1', 0, end)
  }
}

/**
 * Gives the bytes of as much of the text as it can; the rest may become whole with what follows.
 * Undefined where it is no such text.
 *
 * @typedef {(text: Buffer) => { bytes: Buffer, rest: Buffer } | undefined} Decode
 */

/** @type {Record<string, Decode>} */
const decoders = {
  bytevalue (text) {
    const even = text.length & ~1
    const bytes = Buffer.from(text.toString('latin1', 0, even), 'hex')
    return bytes.length * 2 === even ? { bytes, rest: text.subarray(even) } : undefined
  },
  print (text) {
    let from = text.indexOf(BACKSLASH)
    if (from === -1) return { bytes: text, rest: text.subarray(text.length) }
    const bytes = Buffer.from(text)
    let to = from
    while (from < text.length) {
      if (text[from] !== BACKSLASH) {
        bytes[to++] = text[from++]
      } else if (text[from + 1] === BACKSLASH) {
        bytes[to++] = BACKSLASH
        from += 2
      } else {
        const high = VALUES[text[from + 1]]
        const low = VALUES[text[from + 2]]
        if (Number.isNaN(high) || Number.isNaN(low)) return undefined
        // The escape goes on behind the end.
        if (low === undefined) break
        bytes[to++] = high * 16 + low
        from += 3
      }
    }
    return { bytes: bytes.subarray(0, to), rest: text.subarray(from) }
  }
}

/** @param {string} character */
function escape (character) {
  return encoders.print(Buffer.from(character))
}

/**
 * The name of a map on its line, as `db_dump` has it; `mdb_load` takes it as it is.
 *
 * @param {string} name
 */
function encodeName (name) {
  return name.replace(UNPRINTABLE, escape)
}

/** @param {Buffer} line */
function decodeName (line) {
  const decoded = decoders.print(line)
  return decoded === undefined || decoded.rest.length !== 0 ? undefined : decoded.bytes
}

module.exports = { encoders, decoders, encodeName, decodeName }
