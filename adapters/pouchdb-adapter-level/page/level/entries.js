'use strict'

const { latin1 } = require('../bytes')

/**
 * Many entries in one value of IndexedDB, where a request costs far more than a byte: what a block holds, in the order of keys,
 * and what a record of the log holds, in the order of operations. Numbers are of 32 bits, little endian.
 *
 *   number of entries
 *   for each entry: length of its key, length of its value (REMOVED: the key is removed; in the log alone)
 *   all keys
 *   all values
 *
 * @typedef {[text: string, value: Uint8Array | null]} Entry the key as text (see key-text.js); null: it is removed
 */

const REMOVED = 0xffffffff

/** Bytes that an entry takes beside its key and value. */
const OVERHEAD = 8

/** @param {Entry} entry */
function sizeOf ([text, value]) { return OVERHEAD + text.length + (value === null ? 0 : value.length) }

/** @param {Entry[]} entries @returns {Uint8Array} with a buffer of its own */
function encodeEntries (entries) {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + sizeOf(entry), 4))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, entries.length, true)
  let at = 4
  for (const [text, value] of entries) {
    view.setUint32(at, text.length, true)
    view.setUint32(at + 4, value === null ? REMOVED : value.length, true)
    at += OVERHEAD
  }
  for (const [text] of entries) for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
  for (const [, value] of entries) {
    if (value === null) continue
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}

/** Entries that were encoded. */
class Page {
  #bytes
  /** Offsets of values, and of the end of the last one. */
  #starts
  #removed

  /** @param {Uint8Array} bytes */
  constructor (bytes) {
    this.#bytes = bytes
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const count = view.getUint32(0, true)
    /** @type {string[]} */
    this.keys = new Array(count)
    this.#starts = new Uint32Array(count + 1)
    /** @type {Set<number>} */
    this.#removed = new Set()
    const origin = 4 + count * OVERHEAD
    const lengths = Array.from({ length: count }, (_, i) => view.getUint32(4 + i * OVERHEAD, true))
    const all = latin1(bytes.subarray(origin, origin + lengths.reduce((sum, length) => sum + length, 0)))
    let [at, value] = [0, origin + all.length]
    for (let i = 0; i < count; i++) {
      this.keys[i] = all.slice(at, at += lengths[i])
      this.#starts[i] = value
      const length = view.getUint32(8 + i * OVERHEAD, true)
      if (length === REMOVED) this.#removed.add(i)
      else value += length
    }
    this.#starts[count] = value
    if (value !== bytes.length) throw Object.assign(new Error('Stored entries are damaged'), { code: 'LEVEL_CORRUPTION' })
  }

  get size () { return this.#bytes.length }

  /** @param {number} i @returns {Uint8Array | null} a view, which may not be changed */
  valueAt (i) { return this.#removed.has(i) ? null : this.#bytes.subarray(this.#starts[i], this.#starts[i + 1]) }
}

module.exports = { Page, encodeEntries, sizeOf }
