'use strict'

const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { MAX_ID } = require('./layout')

const FIRST_SIZE = 64 * 1024
/** The weight of a varint's last byte, so that it stays below 2 ** 53. */
const GREATEST_WEIGHT = 2 ** 49

/** Decodes one record. A damaged one throws, and is never read on. */
class Reader {
  bytes = Buffer.alloc(0)
  view = new DataView(new ArrayBuffer(0))
  at = 0
  /** The place where the record ends. */
  end = 0
  #size = 0

  /** Makes the addon write to here. */
  register () {
    if (this.#size === 0) this.#resize(FIRST_SIZE)
    else binding.setInbox(this.bytes.buffer)
  }

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
    let size = binding.read(pool, map, keySize, snapshot)
    if (size > this.#size) {
      this.#resize(size)
      size = binding.read(pool, map, keySize, snapshot)
    }
    this.at = 0
    this.end = size
    return size >= 0
  }

  /** @param {number} size */
  #resize (size) {
    const memory = new ArrayBuffer(2 ** Math.ceil(Math.log2(size)))
    this.bytes = Buffer.from(memory)
    this.view = new DataView(memory)
    this.#size = memory.byteLength
    binding.setInbox(memory)
  }

  /**
   * Makes bytes of a writer what is read next.
   *
   * @param {import('./writer').Writer} writer
   * @param {number} at
   * @param {number} end
   */
  turnTo ({ bytes, view }, at, end) {
    this.bytes = bytes
    this.view = view
    this.at = at
    this.end = end
    return this
  }

  get done () { return this.at >= this.end }

  /**
   * Moves over `size` bytes, and gives where they begin.
   *
   * @param {number} size
   */
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
    for (let weight = 1; ; weight *= 128) {
      if (weight > GREATEST_WEIGHT) throw damaged()
      const byte = this.bytes[this.take(1)]
      number += (byte & 127) * weight
      if (byte < 128) break
    }
    if (!Number.isSafeInteger(number)) throw damaged()
    return number
  }

  double () {
    return this.view.getFloat64(this.take(8), true)
  }

  /** A varint that may be an id, or one more than the highest one. */
  id () {
    const id = this.varint()
    if (id < 1 || id > MAX_ID + 1) throw damaged()
    return id
  }

  /** The record must end here. */
  finish () {
    if (this.at !== this.end) throw damaged()
  }
}

function damaged () {
  return createError('PMEMOBJ_CORRUPT', 'An object of the pool is damaged')
}

/** One for all pools of the thread: a record is read when it is decoded, and the next one after it. */
const reader = new Reader()

module.exports = { Reader, damaged, reader }
