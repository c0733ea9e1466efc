'use strict'

// Parameters in the protocol's binary form.

const BYTEA = 17
const TEXT = 25

/**
 * An array of bytes.
 *
 *   offset  size  field
 *        0     4  dimensions: 1
 *        4     4  whether it has nulls
 *        8     4  type of its elements
 *       12     4  number of them
 *       16     4  index of the first: 1
 *       20        for each its length (-1: null), and its bytes
 *
 * @param {Array<Uint8Array | null>} elements
 * @param {number} [type]
 */
function arrayOf (elements, type = BYTEA) {
  let size = 20
  let hasNull = 0
  for (const element of elements) {
    if (element === null) hasNull = 1
    size += 4 + (element?.length ?? 0)
  }
  const buffer = Buffer.allocUnsafe(size)
  let at = buffer.writeInt32BE(1, 0)
  at = buffer.writeInt32BE(hasNull, at)
  at = buffer.writeInt32BE(type, at)
  at = buffer.writeInt32BE(elements.length, at)
  at = buffer.writeInt32BE(1, at)
  for (const element of elements) {
    at = buffer.writeInt32BE(element?.length ?? -1, at)
    if (element === null) continue
    buffer.set(element, at)
    at += element.length
  }
  return buffer
}

/** @param {string[]} texts */
function textsOf (texts) { return arrayOf(texts.map(text => Buffer.from(text)), TEXT) }

/** @param {string} text */
function textOf (text) { return Buffer.from(text) }

/** A bigint. @param {number} number */
function numberOf (number) {
  const buffer = Buffer.allocUnsafe(8)
  buffer.writeBigInt64BE(BigInt(number))
  return buffer
}

/** A double precision. @param {number} number */
function doubleOf (number) {
  const buffer = Buffer.allocUnsafe(8)
  buffer.writeDoubleBE(number)
  return buffer
}

/** @param {Uint8Array} bytes @returns {Buffer} the same bytes */
function bufferOf (bytes) {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

module.exports = { arrayOf, bufferOf, doubleOf, numberOf, textOf, textsOf }
