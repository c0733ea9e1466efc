'use strict'

const binding = require('../../binding')
const { createError } = require('../../codes')
const { ID_SIZE } = require('./layout')

const FIRST_SIZE = 64 * 1024

// Where the addon puts values that are read. One for all pools of the thread.
let memory = new ArrayBuffer(0)

/** Decodes one record. What is damaged throws, and never reads on. */
class Reader {
  bytes = Buffer.alloc(0)
  view = new DataView(memory)
  at = 0
  /** Where the record ends. */
  end = 0

  /**
   * Makes the value of a key what is read next.
   *
   * @param {unknown} pool handle
   * @param {number} map
   * @param {number} keySize the key is in the outbox
   * @param {unknown} snapshot handle, or undefined for the latest commit
   * @returns {boolean} whether there is one
   */
  fetch (pool, map, keySize, snapshot) {
    if (this.bytes.buffer !== memory || memory.byteLength === 0) this.#grow(FIRST_SIZE)
    let size = binding.read(pool, map, keySize, snapshot)
    if (size > memory.byteLength) {
      this.#grow(size)
      size = binding.read(pool, map, keySize, snapshot)
    }
    this.at = 0
    this.end = size
    return size >= 0
  }

  #grow (size) {
    if (size > memory.byteLength) {
      memory = new ArrayBuffer(2 ** Math.ceil(Math.log2(size)))
      binding.setInbox(memory)
    }
    this.bytes = Buffer.from(memory)
    this.view = new DataView(memory)
  }

  get done () { return this.at >= this.end }

  /** Moves over `size` bytes, and gives where they begin. */
  take (size) {
    const at = this.at
    if (!(size <= this.end - at)) throw damaged()
    this.at = at + size
    return at
  }

  u8 () {
    return this.bytes[this.take(1)]
  }

  varint () {
    let number = 0
    let weight = 1
    for (;;) {
      const byte = this.bytes[this.take(1)]
      number += (byte & 127) * weight
      if (byte < 128) break
      weight *= 128
    }
    if (!Number.isSafeInteger(number)) throw damaged()
    return number
  }

  double () {
    return this.view.getFloat64(this.take(8), true)
  }

  id () {
    const at = this.take(ID_SIZE)
    return this.view.getUint16(at) * 2 ** 32 + this.view.getUint32(at + 2)
  }

  /** The record must end here. */
  finish () {
    if (this.at !== this.end) throw damaged()
  }
}

function damaged () {
  return createError('PMEMOBJ_CORRUPT', 'An object of the pool is damaged')
}

module.exports = { Reader, damaged }
