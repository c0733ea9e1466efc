'use strict'

// Values as bytes without an allocation each: the addon writes small ones into a slab that
// many of them share, as Node.js does for small Buffers, and pages of them come as one
// ArrayBuffer (src/binding/base/bytes.h has the layout of a page).

const binding = require('../binding/binding')

const SLAB_SIZE = 64 * 1024
// The addon writes no more into the slab.
const LARGEST = 4096
const MISSING = 0xffffffff

/** @typedef {(source: ArrayBuffer, offset: number, length: number) => Uint8Array} Make */

/** @type {Record<string, Make>} */
const makers = {
  buffer: (source, offset, length) => Buffer.from(source, offset, length),
  view: (source, offset, length) => new Uint8Array(source, offset, length)
}

let slab = new ArrayBuffer(0)
let used = 0

/** Makes room for a small value, and returns its place. */
function reserve () {
  if (slab.byteLength - used < LARGEST) {
    slab = new ArrayBuffer(SLAB_SIZE)
    used = 0
    binding.setSlab(slab)
  }
  return used
}

/**
 * The value that `binding.getBytes` gave: undefined, a Buffer, or a length in the slab.
 *
 * @param {undefined | Buffer | number} result
 * @param {string} encoding `buffer` or `view`
 */
function take (result, encoding) {
  if (result === undefined) return undefined
  if (typeof result === 'number') {
    const offset = used
    // Aligned, so that a typed array of any kind can lie over the bytes.
    used = (used + result + 7) & ~7
    return makers[encoding](slab, offset, result)
  }
  return encoding === 'buffer' ? result : makers.view(/** @type {ArrayBuffer} */ (result.buffer), result.byteOffset, result.length)
}

/** Cuts the pieces of a page out, in order: `next()` gives one after the other. */
class Pieces {
  #page
  #words
  #index = 0
  #offset

  /** @param {ArrayBuffer} page */
  constructor (page) {
    this.#page = page
    this.#words = new Uint32Array(page, 0, 1 + new Uint32Array(page, 0, 1)[0])
    this.#offset = 4 + 4 * this.#words[0]
  }

  get count () { return this.#words[0] }

  /** @param {Make} make */
  next (make) {
    const length = this.#words[++this.#index]
    if (length === MISSING) return undefined
    const offset = this.#offset
    this.#offset += length
    return make(this.#page, offset, length)
  }
}

module.exports = { makers, reserve, take, Pieces }
