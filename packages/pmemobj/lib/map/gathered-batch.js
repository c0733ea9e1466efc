'use strict'

const { checkValue } = require('./map-operations')

// Operations one after the other, as src/binding/map/write.cc reads them.

/** Bytes before each operation's. */
const HEAD = 8

/** Length of the value of an operation that deletes. */
const NONE = 0xffffffff

const FIRST_ROOM = 64 * 1024

/**
 * A batch that is put together bit by bit: others may run in between. To give the addon very many operations
 * takes long.
 */
class GatheredBatch {
  #write
  #bytes = Buffer.allocUnsafeSlow(FIRST_ROOM)
  #at = 0

  /** Made by `map.gather()`. @param {(bytes: Uint8Array, options?: import('../..').BatchOptions) => import('../..').Written} write */
  constructor (write) {
    this.#write = write
  }

  /** @param {import('../..').Bytes} key @param {import('../..').Bytes} value */
  put (key, value) { this.#add(key, checkValue(value)) }

  /** @param {import('../..').Bytes} key */
  del (key) { this.#add(key, undefined) }

  clear () { this.#at = 0 }

  /**
   * Writes all in one commit, as `batchAsync` does.
   *
   * @param {import('../..').BatchOptions} [options]
   */
  writeAsync (options) { return this.#write(this.#bytes.subarray(0, this.#at), options) }

  /** @param {import('../..').Bytes} key @param {any} value undefined deletes */
  #add (key, value) {
    const start = this.#at
    this.#reserve(HEAD + mostOf(key, 'key') + (value === undefined ? 0 : mostOf(value, 'value')))
    const middle = this.#copy(key, start + HEAD)
    const end = value === undefined ? middle : this.#copy(value, middle)
    this.#bytes.writeUInt32LE(middle - start - HEAD, start)
    this.#bytes.writeUInt32LE(value === undefined ? NONE : end - middle, start + 4)
    this.#at = end
  }

  /** @param {number} size */
  #reserve (size) {
    const least = this.#at + size
    if (least <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length))
    this.#bytes.copy(bytes, 0, 0, this.#at)
    this.#bytes = bytes
  }

  /** @param {import('../..').Bytes} data @param {number} at @returns {number} its end */
  #copy (data, at) {
    if (typeof data === 'string') return at + this.#bytes.write(data, at)
    this.#bytes.set(data, at)
    return at + data.length
  }
}

/** @param {import('../..').Bytes} data @param {string} what @returns {number} bytes at most */
function mostOf (data, what) {
  if (typeof data === 'string') return data.length * 3
  if (data instanceof Uint8Array) return data.length
  throw new TypeError(`The ${what} must be a string or a Uint8Array`)
}

module.exports = { GatheredBatch }
