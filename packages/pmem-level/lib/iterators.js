'use strict'

const { AbstractIterator, AbstractKeyIterator, AbstractValueIterator } = require('abstract-level')
const { PmemSnapshot } = require('./snapshot')
const { attempt } = require('./errors')

/**
 * @typedef {import('pmemobj').OrderedMap} OrderedMap
 * @typedef {import('pmemobj').Bytes} Bytes
 * @typedef {import('abstract-level').AbstractLevel<any, any, any>} AbstractLevel
 */

// next() reads ahead, more each time, for one crossing costs as much as several entries.
const GROWTH = 8
const MOST = 1000
/** @type {readonly any[]} */
const NOTHING = Object.freeze([])

/**
 * Reads pages of a pmemobj iterator, and hands their elements out. Made before the iterator
 * that owns it attaches itself to the database: it may fail.
 */
class Reader {
  #iterator
  #page = NOTHING
  #at = 0
  #ask = 1

  /**
   * @param {OrderedMap} map
   * @param {any} options abstract-level's
   * @param {{ keys: boolean, values: boolean }} what
   */
  constructor (map, options, { keys, values }) {
    const { gt, gte, lt, lte, reverse, keyEncoding, valueEncoding } = options
    const snapshot = PmemSnapshot.inner(options.snapshot)
    // Throws where it is closed, as reads do; the iterator itself outlives it.
    options.snapshot?.ref()
    // The limit is abstract-level's: it counts what was handed out, not what was read ahead.
    try {
      this.#iterator = attempt(() => map.iterator({ gt, gte, lt, lte, reverse, keys, values, keyEncoding, valueEncoding, snapshot }))
    } finally {
      options.snapshot?.unref()
    }
  }

  /**
   * Finds the next element, reading on as needed.
   *
   * @param {number} left entries that may still be asked for
   * @returns {boolean} false at the end
   */
  advance (left) {
    if (this.#at < this.#page.length) return true
    this.#page = attempt(() => this.#iterator.nextv(Math.min(this.#ask, left)))
    this.#at = 0
    this.#ask = Math.min(this.#ask * GROWTH, MOST)
    return this.#page.length !== 0
  }

  take () {
    return this.#page[this.#at++]
  }

  /**
   * At most `size` entries, flat; first those that were read ahead.
   *
   * @param {number} stride
   * @param {number} size
   */
  takeMany (stride, size) {
    if (this.#at >= this.#page.length) return attempt(() => this.#iterator.nextv(size))
    const end = Math.min(this.#page.length, this.#at + size * stride)
    const part = this.#page.slice(this.#at, end)
    this.#at = end
    return part
  }

  /** @param {Bytes} key */
  seek (key) {
    this.#page = NOTHING
    this.#at = 0
    this.#ask = 1
    attempt(() => this.#iterator.seek(key))
  }

  /**
   * Leaves out the next entries; false where it cannot be told which comes then.
   *
   * @param {number} stride
   * @param {number} count
   */
  skip (stride, count) {
    const ahead = Math.min(count, (this.#page.length - this.#at) / stride)
    if (!attempt(() => this.#iterator.skip(count - ahead))) return false
    this.#at += ahead * stride
    return true
  }

  close () {
    this.#page = NOTHING
    this.#iterator.close()
  }
}

/** @extends {AbstractIterator<AbstractLevel, any, any>} */
class EntryIterator extends AbstractIterator {
  #reader
  #keys
  #values
  #stride

  /** @param {any} db an AbstractLevel @param {OrderedMap} map @param {any} options */
  constructor (db, map, options) {
    const { keys, values } = options
    // With neither, keys are counted.
    const reader = new Reader(map, options, { keys: keys || !values, values })
    super(db, options)
    this.#reader = reader
    this.#keys = keys
    this.#values = values
    this.#stride = keys && values ? 2 : 1
  }

  async _next () {
    const reader = this.#reader
    if (!reader.advance(this.limit - this.count)) return undefined
    if (this.#stride === 2) return [reader.take(), reader.take()]
    return this.#entry(reader.take())
  }

  /** @param {number} size */
  async _nextv (size) {
    const flat = this.#reader.takeMany(this.#stride, size)
    if (this.#stride === 1) return flat.map(this.#entry, this)
    const entries = new Array(flat.length / 2)
    for (let i = 0; i < entries.length; i++) entries[i] = [flat[2 * i], flat[2 * i + 1]]
    return entries
  }

  /** @param {unknown} element */
  #entry (element) {
    return [this.#keys ? element : undefined, this.#values ? element : undefined]
  }

  /** @param {Bytes} target */
  _seek (target) { this.#reader.seek(target) }

  /** Leaves out the next entries. @param {number} count @returns {boolean} */
  skip (count) { return this.#reader.skip(this.#stride, count) }

  async _close () { this.#reader.close() }
}

/**
 * Iterators over one column: elements are those of the reader.
 *
 * @param {new (...args: any[]) => any} Base
 * @param {{ keys: boolean, values: boolean }} what
 */
const overColumn = (Base, what) => class extends Base {
  #reader

  /** @param {any} db an AbstractLevel @param {OrderedMap} map @param {any} options */
  constructor (db, map, options) {
    const reader = new Reader(map, options, what)
    super(db, options)
    this.#reader = reader
  }

  async _next () {
    return this.#reader.advance(this.limit - this.count) ? this.#reader.take() : undefined
  }

  /** @param {number} size */
  async _nextv (size) { return this.#reader.takeMany(1, size) }

  /** @param {Bytes} target */
  _seek (target) { this.#reader.seek(target) }

  /** Leaves out the next entries. @param {number} count @returns {boolean} */
  skip (count) { return this.#reader.skip(1, count) }

  async _close () { this.#reader.close() }
}

class KeyIterator extends overColumn(AbstractKeyIterator, { keys: true, values: false }) {}

class ValueIterator extends overColumn(AbstractValueIterator, { keys: false, values: true }) {}

module.exports = { EntryIterator, KeyIterator, ValueIterator }
