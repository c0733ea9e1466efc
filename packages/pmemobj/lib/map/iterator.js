'use strict'

const binding = require('../binding/binding')
const { makers, Pieces } = require('./slab')
const { SpareHandles } = require('./spare-handles')
const { checkEncoding, rangeOf, KEYS, VALUES, KEY_PIECES, VALUE_PIECES } = require('./read-options')

const spares = new SpareHandles()

/** Walks a range of a map, in a snapshot: its own, or the one given. */
class Iterator {
  #handle
  // Keeps the pool from being collected while only the iterator is held.
  #pool
  /** @type {import('../..').Encoding[]} of each column */
  #columns

  /**
   * Made by `map.iterator()`.
   *
   * @param {unknown} pool handle
   * @param {number} map
   * @param {import('../..').IteratorOptions} options
   */
  constructor (pool, map, options) {
    const keyEncoding = checkEncoding(options.keyEncoding)
    const valueEncoding = checkEncoding(options.valueEncoding)
    const { flags, lower, upper, limit, snapshot } = rangeOf(options)
    const keys = options.keys !== false
    const values = options.values !== false
    const what = (keys ? KEYS : 0) | (values ? VALUES : 0) |
      (keyEncoding === 'utf8' ? 0 : KEY_PIECES) | (valueEncoding === 'utf8' ? 0 : VALUE_PIECES)
    if (!keys && !values) throw new TypeError('An iterator must give keys or values, or both')
    this.#pool = pool
    this.#columns = []
    if (keys) this.#columns.push(keyEncoding)
    if (values) this.#columns.push(valueEncoding)
    this.#handle = binding.iterator(pool, map, flags | what, lower, upper, limit, snapshot, spares.take())
  }

  /**
   * @param {number} count at least 1
   * @returns {import('../..').Bytes[]} fewer than `count` entries where they are big; none at the end
   */
  nextv (count) {
    if (!Number.isSafeInteger(count) || count < 1) throw new TypeError('The count must be a whole number from 1')
    const page = binding.next(this.#handle, count)
    const [first, second = first] = this.#columns
    if (first === 'utf8' && second === 'utf8') return page
    if (first !== 'utf8' && second !== 'utf8') return cutAll(page, makers[first], makers[second])
    return first === 'utf8' ? mixSecond(page, makers[second]) : mixFirst(page, makers[first])
  }

  /**
   * A key outside the range is the end.
   *
   * @param {import('../..').Bytes} key
   */
  seek (key) {
    binding.seek(this.#handle, key)
  }

  /**
   * Leaves out the next entries, in logarithmic time.
   *
   * @param {number} count
   * @returns {boolean}
   */
  skip (count) {
    if (!Number.isSafeInteger(count) || count < 0) throw new TypeError('The count must be a whole number from 0')
    return binding.skip(this.#handle, count)
  }

  /** Closing twice is allowed. */
  close () {
    binding.closeIterator(this.#handle)
    this.#handle = spares.put(this.#handle)
  }
}

/**
 * Pieces in both columns, or in the only one: the page is the ArrayBuffer.
 *
 * @param {ArrayBuffer} page
 * @param {import('./slab').Make} first
 * @param {import('./slab').Make} second
 */
function cutAll (page, first, second) {
  const pieces = new Pieces(page)
  const flat = new Array(pieces.count)
  for (let i = 0; i < flat.length; i++) flat[i] = pieces.next((i & 1) === 0 ? first : second)
  return flat
}

/**
 * Strings, then pieces: the page is the strings, with the ArrayBuffer last.
 *
 * @param {(string | ArrayBuffer)[]} page
 * @param {import('./slab').Make} make
 */
function mixSecond (page, make) {
  const pieces = new Pieces(/** @type {ArrayBuffer} */ (page.pop()))
  const flat = new Array(page.length * 2)
  for (let i = 0; i < page.length; i++) {
    flat[2 * i] = page[i]
    flat[2 * i + 1] = pieces.next(make)
  }
  return flat
}

/** @param {(string | ArrayBuffer)[]} page @param {import('./slab').Make} make */
function mixFirst (page, make) {
  const pieces = new Pieces(/** @type {ArrayBuffer} */ (page.pop()))
  const flat = new Array(page.length * 2)
  for (let i = 0; i < page.length; i++) {
    flat[2 * i] = pieces.next(make)
    flat[2 * i + 1] = page[i]
  }
  return flat
}

module.exports = { Iterator }
