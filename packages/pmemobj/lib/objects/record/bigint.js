'use strict'

const { damaged } = require('./reader')

/** Bytes of the greatest one that V8 has. */
const MAX_SIZE = 2 ** 27

/**
 * Its sign and size (bytes × 2 + 1 where negative), then its magnitude, the lowest byte first.
 *
 * @param {import('./writer').Writer} writer
 * @param {bigint} value
 */
function writeBigInt (writer, value) {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString(16)
  const size = (digits.length + 1) >> 1
  writer.reserve(size + 10)
  writer.varint(size * 2 + (negative ? 1 : 0))
  const bytes = Buffer.from(digits.padStart(2 * size, '0'), 'hex').reverse()
  writer.bytes.set(bytes, writer.at)
  writer.at += size
}

/** @param {import('./reader').Reader} reader */
function readBigInt (reader) {
  const head = reader.varint()
  const size = Math.floor(head / 2)
  if (size > MAX_SIZE) throw damaged()
  const at = reader.take(size)
  const digits = Buffer.from(reader.bytes.subarray(at, at + size)).reverse().toString('hex')
  const magnitude = BigInt(`0x${digits || '0'}`)
  return head % 2 === 1 ? -magnitude : magnitude
}

module.exports = { readBigInt, writeBigInt }
