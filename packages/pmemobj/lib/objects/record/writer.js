'use strict'

const binding = require('../../binding/binding')
const { ID_SIZE } = require('./layout')

const FIRST_SIZE = 64 * 1024
const GREATEST_KEPT = 16 * 1024 * 1024
const HEADER_SIZE = 12
/** Bytes of a key, and those of the second one of a range. */
const LARGEST_KEY = 2 * 11
const PUT = 1
const DELETE = 2
const DELETE_RANGE = 3
const TWO_31 = 2 ** 31
const TWO_32 = 2 ** 32

/**
 * Encodes the operations of a commit, one after the other, where the addon reads them (as in
 * src/binding):
 *
 *   u8 kind, u8 0, u16 key size, u32 map, u32 value size, key, value
 *
 * A method that writes bytes needs room that was asked for before.
 */
class Writer {
  bytes = Buffer.alloc(0)
  view = new DataView(new ArrayBuffer(0))
  /** The place of the next byte. */
  at = 0
  #size = 0
  #header = 0
  #value = 0
  #publish

  /** @param {(memory: ArrayBuffer) => void} [publish] called with the memory that it goes on in. Default: the addon reads from there */
  constructor (publish = memory => binding.setOutbox(memory)) {
    this.#publish = publish
  }

  /** Makes the addon read from here. */
  register () {
    if (this.#size === 0) this.#resize(FIRST_SIZE)
    else this.#publish(this.bytes.buffer)
  }

  /**
   * Makes sure of room for `size` more bytes.
   *
   * @param {number} size
   */
  reserve (size) {
    if (this.at + size > this.#size) this.#resize(this.at + size)
  }

  /** @param {number} size */
  #resize (size) {
    const memory = new ArrayBuffer(Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(size))))
    const bytes = Buffer.from(memory)
    bytes.set(this.bytes.subarray(0, this.at))
    this.bytes = bytes
    this.view = new DataView(memory)
    this.#size = memory.byteLength
    this.#publish(memory)
  }

  /** Forgets what was written. Memory that a rare big commit took is given back. */
  reset () {
    this.at = 0
    if (this.#size > GREATEST_KEPT) this.#resize(FIRST_SIZE)
  }

  /**
   * Begins an operation; the key follows, then `value()`, and `end()`.
   *
   * @param {number} map
   * @param {number} [kind]
   */
  begin (map, kind = PUT) {
    this.reserve(HEADER_SIZE + LARGEST_KEY)
    this.#header = this.at
    this.view.setUint16(this.at, kind, true)
    this.view.setUint32(this.at + 4, map, true)
    this.at += HEADER_SIZE
  }

  /** The key ends here. */
  value () {
    this.#value = this.at
    this.view.setUint16(this.#header + 2, this.at - this.#header - HEADER_SIZE, true)
  }

  end () {
    this.view.setUint32(this.#header + 8, this.at - this.#value, true)
  }

  /**
   * Begins to put a record: what is written until `end()` is its value.
   *
   * @param {number} map
   * @param {number} id
   */
  put (map, id) {
    this.begin(map)
    this.id(id)
    this.value()
  }

  /**
   * The same, of a part.
   *
   * @param {number} map
   * @param {number} id
   * @param {number} part
   * @param {number} number
   */
  putPart (map, id, part, number) {
    this.begin(map)
    this.part(id, part, number)
    this.value()
  }

  /** @param {number} map @param {number} id */
  delete (map, id) {
    this.begin(map, DELETE)
    this.id(id)
    this.value()
    this.end()
  }

  /** @param {number} map @param {Uint8Array} key */
  deleteKey (map, key) {
    this.begin(map, DELETE)
    this.raw(key)
    this.value()
    this.end()
  }

  /**
   * Deletes the parts of an object from a number on.
   *
   * @param {number} map
   * @param {number} id
   * @param {number} part
   * @param {number} from
   */
  deleteParts (map, id, part, from) {
    this.begin(map, DELETE_RANGE)
    this.part(id, part, from)
    this.value()
    this.id(id)
    this.u8(part + 1)
    this.end()
  }

  /**
   * Deletes the parts of an object from a number on and below another one.
   *
   * @param {number} map
   * @param {number} id
   * @param {number} part
   * @param {number} from
   * @param {number} to
   */
  deletePartsBetween (map, id, part, from, to) {
    this.begin(map, DELETE_RANGE)
    this.part(id, part, from)
    this.value()
    this.part(id, part, to)
    this.end()
  }

  /**
   * Deletes all that ids from `from` on and below `to` have.
   *
   * @param {number} map
   * @param {number} from
   * @param {number} to
   */
  deleteIds (map, from, to) {
    this.begin(map, DELETE_RANGE)
    this.id(from)
    this.value()
    this.id(to)
    this.end()
  }

  /** @param {Uint8Array} bytes for which it makes room */
  raw (bytes) {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** @param {number} id */
  id (id) {
    this.view.setUint16(this.at, Math.floor(id / TWO_32))
    this.view.setUint32(this.at + 2, id >>> 0)
    this.at += ID_SIZE
  }

  /** @param {number} id @param {number} part @param {number} number */
  part (id, part, number) {
    this.id(id)
    this.u8(part)
    this.u32(number)
  }

  /** @param {number} number */
  u8 (number) {
    this.bytes[this.at++] = number
  }

  /**
   * Big endian, as keys need it.
   *
   * @param {number} number
   */
  u32 (number) {
    this.view.setUint32(this.at, number)
    this.at += 4
  }

  /**
   * Seven bits a byte, the lowest first. Up to 2 ** 53.
   *
   * @param {number} number
   */
  varint (number) {
    const { bytes } = this
    let { at } = this
    while (number >= TWO_31) {
      bytes[at++] = (number % 128) | 128
      number = Math.floor(number / 128)
    }
    // Operators on bits take no more than 31 of them, and are much faster.
    while (number > 127) {
      bytes[at++] = (number & 127) | 128
      number >>= 7
    }
    bytes[at++] = number
    this.at = at
  }

  /** @param {number} number */
  double (number) {
    this.view.setFloat64(this.at, number, true)
    this.at += 8
  }
}

/** One for all pools of the thread: operations are encoded and committed in one go. */
const writer = new Writer()

module.exports = { HEADER_SIZE, Writer, writer }
