'use strict'

const { NumberReader, NumberWriter } = require('./numbers')

/**
 * The last postings of a term, as text: they are few, and others come behind them.
 *
 *   docs       of each posting: 2 × (document - the one before) + whether the term is there more than once; then, if so,
 *              how many times; and a character for the length of the field
 *   positions  of each posting: of each occurrence its position - the one before
 *
 * @typedef {{ count: number, last: number, docs: string, positions: string }} Tail last: the last document, 0 of none
 */

/** @type {Tail} */
const NONE = Object.freeze({ count: 0, last: 0, docs: '', positions: '' })

/** Room for postings, and for positions, at first. */
const ROOM = 256

const docsWriter = new NumberWriter()
const writer = new NumberWriter()

/** Postings of one term in flat arrays, in ascending order of documents. */
class Columns {
  count = 0
  docs = new Float64Array(ROOM)
  freqs = new Int32Array(ROOM)
  /** See norm.js. */
  norms = new Uint8Array(ROOM)
  /** Starts of each posting's positions, and the end of the last's. */
  starts = new Int32Array(ROOM + 1)
  positions = new Int32Array(ROOM)

  clear () {
    this.count = 0
    return this
  }

  /** Begins a posting; `addPosition` follows. @param {number} doc above all before @param {number} norm */
  add (doc, norm) {
    if (this.count === this.docs.length) this.#grow()
    const at = this.count++
    this.docs[at] = doc
    this.norms[at] = norm
    this.freqs[at] = 0
    this.starts[at + 1] = this.starts[at]
  }

  /** @param {number} position */
  addPosition (position) {
    const at = this.starts[this.count]++
    if (at === this.positions.length) this.positions = larger(this.positions)
    this.positions[at] = position
    this.freqs[this.count - 1]++
  }

  #grow () {
    this.docs = larger(this.docs)
    this.freqs = larger(this.freqs)
    this.norms = larger(this.norms)
    const starts = new Int32Array(2 * this.starts.length - 1)
    starts.set(this.starts)
    this.starts = starts
  }

  /** How often the term is in all of them. */
  get occurrences () { return this.starts[this.count] }

  /** Adds the postings of a tail. @param {Tail} tail */
  addTail ({ count, docs, positions }) {
    const numbers = new NumberReader(docs)
    const places = new NumberReader(positions)
    for (let i = 0, doc = 0; i < count; i++) {
      const number = numbers.next()
      doc += Math.floor(number / 2)
      const freq = number % 2 === 1 ? numbers.next() : 1
      this.add(doc, numbers.nextCode())
      for (let k = 0, position = 0; k < freq; k++) this.addPosition(position += places.next())
    }
  }

  /** Leaves out some documents. @param {Set<number>} docs */
  remove (docs) {
    const { count, starts } = this
    const places = starts.slice(0, count + 1)
    this.count = 0
    for (let i = 0; i < count; i++) {
      if (docs.has(this.docs[i])) continue
      this.add(this.docs[i], this.norms[i])
      for (let k = places[i]; k < places[i + 1]; k++) this.addPosition(this.positions[k])
    }
  }

  /**
   * Adds the postings from one on to a tail.
   *
   * @param {Tail} tail
   * @param {number} from
   * @returns {Tail}
   */
  tail (tail, from) {
    this.writeTail(tail.last, docsWriter, writer, from)
    return {
      count: tail.count + this.count - from,
      last: this.count > from ? this.docs[this.count - 1] : tail.last,
      docs: tail.docs + docsWriter.take(),
      positions: tail.positions + writer.take()
    }
  }

  /**
   * Writes what postings add to a tail.
   *
   * @param {number} last the document before
   * @param {NumberWriter} docs
   * @param {NumberWriter} places
   * @param {number} [from]
   */
  writeTail (last, docs, places, from = 0) {
    for (let i = from; i < this.count; i++) {
      const freq = this.freqs[i]
      docs.put(2 * (this.docs[i] - last) + (freq > 1 ? 1 : 0))
      if (freq > 1) docs.put(freq)
      docs.putCode(this.norms[i])
      last = this.docs[i]
      for (let k = this.starts[i], before = 0; k < this.starts[i + 1]; k++) {
        places.put(this.positions[k] - before)
        before = this.positions[k]
      }
    }
  }
}

/** @template {Float64Array | Int32Array | Uint8Array} T @param {T} array @returns {T} */
function larger (array) {
  const twice = new /** @type {any} */ (array.constructor)(2 * array.length)
  twice.set(array)
  return twice
}

module.exports = { Columns, NONE, larger }
