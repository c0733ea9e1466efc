'use strict'

const { Reference } = require('../heap/reference')
const { Text } = require('../heap/text')
const { damaged } = require('./reader')
const { readBigInt, writeBigInt } = require('./bigint')
const { readString, readSymbol, writeString, writeSymbol } = require('./strings')
const { TAG } = require('./layout')

/** Bytes of a value, except for strings and bigints. */
const LARGEST = 10

/** In the place of an element that an array has not. */
const HOLE = Symbol('hole')

/**
 * Encodes what a slot holds.
 *
 * @param {import('./writer').Writer} writer
 * @param {import('../heap/types').Slot} value
 */
function writeValue (writer, value) {
  writer.reserve(LARGEST)
  // These are the most, and V8 compares one type faster than it switches between all.
  if (typeof value === 'number') return writeNumber(writer, value)
  if (typeof value === 'string') return writeString(writer, value)
  switch (typeof value) {
    case 'boolean': return writer.u8(value ? TAG.true : TAG.false)
    case 'undefined': return writer.u8(TAG.undefined)
    case 'symbol': return value === HOLE ? writer.u8(TAG.hole) : writeSymbol(writer, value)
    case 'bigint':
      writer.u8(TAG.bigint)
      return writeBigInt(writer, value)
    default: return writeReference(writer, value)
  }
}

/** @param {import('./writer').Writer} writer @param {import('../heap/types').Held | null} value */
function writeReference (writer, value) {
  if (value === null) return writer.u8(TAG.null)
  writer.u8(value instanceof Text ? TAG.text : TAG.reference)
  writer.varint(value.id)
}

/** @param {import('./writer').Writer} writer @param {number} value */
function writeNumber (writer, value) {
  if ((value | 0) !== value || Object.is(value, -0)) {
    writer.u8(TAG.double)
    return writer.double(value)
  }
  if (value >= 0 && value < 128) return writer.u8(TAG.small + value)
  writer.u8(TAG.integer)
  writer.varint(value < 0 ? -2 * value - 1 : 2 * value)
}

/** @param {import('./reader').Reader} reader */
function readValue (reader) {
  const tag = reader.u8()
  if (tag >= TAG.small) return tag - TAG.small
  switch (tag) {
    case TAG.hole: return HOLE
    case TAG.undefined: return undefined
    case TAG.null: return null
    case TAG.false: return false
    case TAG.true: return true
    case TAG.integer: return readInteger(reader)
    case TAG.double: return reader.double()
    case TAG.bigint: return readBigInt(reader)
    case TAG.reference: return new Reference(reader.id())
    case TAG.text: return new Text(reader.id(), undefined)
    case TAG.symbol: return readSymbol(reader)
    default: return readString(reader, tag)
  }
}

/** @param {import('./reader').Reader} reader */
function readInteger (reader) {
  const number = reader.varint()
  const value = number % 2 === 0 ? number / 2 : -(number + 1) / 2
  if ((value | 0) !== value) throw damaged()
  return value
}

module.exports = { HOLE, readValue, writeValue }
