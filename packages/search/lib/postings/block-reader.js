'use strict'

const { RiceReader, bitsAt, onesIn, widthOf } = require('./bits')
const { BLOCK, SKIP } = require('./block')
const { larger } = require('./columns')
const { NumberReader } = require('./numbers')
const { placeOf } = require('./place')

/** Positions that were asked for from which on all are read, and how many postings there may be for each of them: reading all costs less then. */
const SOME = 3
const APART = 8

/** Reads postings of a block, or of a tail, as far as they are asked for. One object reads one after the other. */
class BlockReader {
  count = 0
  #docs = new Float64Array(BLOCK)
  /** Documents are in the array. */
  #hasDocs = false
  #first = 0
  #freqs = new Int32Array(BLOCK)
  #norms = new Uint8Array(BLOCK)
  /** Frequencies and norms are in the arrays. */
  #areRead = false
  #text = ''
  #start = 0
  /** The start of the distances of documents, in bits. */
  #distances = 0
  #freqWidth = 0
  #normWidth = 0
  #norm = 0
  #rice = new RiceReader()
  /** Lowest bits of documents. */
  #lowest = 0
  #k = 0
  #places = new RiceReader()
  #tailPlaces = new NumberReader('')
  #isTail = false
  #positions = ''
  /** The start of those of the block, in bits. */
  #base = 0
  #placeWidth = 0
  /** The place of the first codes of positions, in bits. */
  #codes = 0
  /** Whether positions can be read. */
  hasPositions = false
  /** The posting whose positions come next. */
  #next = 0
  /** How often positions were asked for. */
  #asked = 0
  /** Sums of the distances of all positions, and ends of each posting's; from the posting on that was next then. */
  #sums = new Int32Array(0)
  #ends = new Int32Array(BLOCK + 1)
  #areSpread = false
  #numbers = new NumberReader('')

  /** @param {string} text @param {number} [at] where the block begins */
  openBlock (text, at = 0) {
    const numbers = this.#numbers
    numbers.text = text
    numbers.at = at
    const freqWidth = this.#freqWidth = widthOf(numbers.next() - 1)
    this.#norm = numbers.nextCode()
    const count = this.count = numbers.next()
    this.#first = numbers.next()
    this.#lowest = numbers.nextCode()
    const normWidth = this.#normWidth = numbers.nextCode()
    this.#k = numbers.nextCode()
    this.#text = text
    this.#start = 7 * numbers.at
    this.#distances = this.#start + count * (freqWidth + normWidth)
    this.#hasDocs = this.#areRead = this.#isTail = this.hasPositions = false
    this.#room(count)
  }

  /** The documents: as many as `count`. */
  get docs () {
    if (!this.#hasDocs) this.#readDocs()
    return this.#docs
  }

  #readDocs () {
    this.#hasDocs = true
    this.#docs[0] = this.#first
    if (this.count === 1) return
    this.#rice.open(this.#text, this.#distances)
    this.#rice.sums(this.#lowest, this.#docs, 1, this.count, this.#first, 1)
  }

  /** Whether a row of bits tells of each document, which need not be read then. */
  get #isRow () { return !this.#isTail && this.#lowest === 0 }

  /** The place of a document that the block has. @param {number} doc @param {number} from not behind that */
  placeOf (doc, from) {
    if (this.#hasDocs || !this.#isRow) return placeOf(this.docs, from, this.count, doc)
    return onesIn(this.#text, this.#distances, this.#distances + doc - this.#first)
  }

  /**
   * Finds out which of some documents the block has.
   *
   * @param {Float64Array} docs up to the last of the block
   * @param {Int32Array} places of those that are asked for in `docs`, ascending; those that are there come to its front
   * @param {number} count of them
   * @returns {number} how many are there
   */
  keep (docs, places, count) { return this.#isRow ? this.#keepOfRow(docs, places, count) : this.#keepOfList(docs, places, count) }

  /** @param {Float64Array} docs @param {Int32Array} places @param {number} count */
  #keepOfRow (docs, places, count) {
    const text = this.#text
    const first = this.#first
    const start = this.#distances - 1
    let kept = 0
    for (let i = 0; i < count; i++) {
      const place = places[i]
      const doc = docs[place]
      if (doc < first) continue
      const bit = start + ((doc - first) | 0)
      const at = (bit / 7) | 0
      if (doc === first || (text.charCodeAt(at) >>> (bit - 7 * at) & 1) === 1) places[kept++] = place
    }
    return kept
  }

  /** @param {Float64Array} docs @param {Int32Array} places @param {number} count */
  #keepOfList (docs, places, count) {
    const own = this.docs
    let kept = 0
    for (let i = 0, at = 0; i < count; i++) {
      const place = places[i]
      const doc = docs[place]
      at = placeOf(own, at, this.count, doc)
      if (own[at] === doc) places[kept++] = place
    }
    return kept
  }

  /** Gives the block its positions. @param {string} text @param {number} [at] where they begin */
  openPositions (text, at = 0) {
    this.#positions = text
    this.#base = 7 * at
    this.#placeWidth = text.charCodeAt(at)
    this.#codes = this.#base + 7 + 7 * Math.ceil(this.#placeWidth * Math.floor((this.count - 1) / SKIP) / 7)
    this.#places.open(text, this.#codes)
    this.#next = this.#asked = 0
    this.#areSpread = false
    this.hasPositions = true
  }

  /** @param {import('./columns').Tail} tail */
  openTail ({ count, docs, positions }) {
    const numbers = new NumberReader(docs)
    this.count = count
    this.#tailPlaces = new NumberReader(positions)
    this.#isTail = this.#areRead = this.#hasDocs = this.hasPositions = true
    this.#next = 0
    this.#room(count)
    for (let i = 0, doc = 0; i < count; i++) {
      const number = numbers.next()
      this.#docs[i] = doc += Math.floor(number / 2)
      this.#freqs[i] = number % 2 === 1 ? numbers.next() : 1
      this.#norms[i] = numbers.nextCode()
    }
  }

  /** @param {number} count */
  #room (count) {
    while (this.#docs.length < count) this.#docs = larger(this.#docs)
    while (this.#freqs.length < count) this.#freqs = larger(this.#freqs)
    while (this.#norms.length < count) this.#norms = larger(this.#norms)
  }

  /** How often the term is in each document, and the lengths of their fields. */
  all () {
    if (!this.#areRead) {
      const { count } = this
      readAll(this.#text, this.#start, this.#freqWidth, this.#freqs, count, 1)
      readAll(this.#text, this.#start + count * this.#freqWidth, this.#normWidth, this.#norms, count, this.#norm)
      this.#areRead = true
    }
    return { freqs: this.#freqs, norms: this.#norms }
  }

  /** @param {number} i */
  freq (i) { return this.#areRead ? this.#freqs[i] : 1 + bitsAt(this.#text, this.#start + i * this.#freqWidth, this.#freqWidth) }

  /** @param {number} i */
  norm (i) { return this.#areRead ? this.#norms[i] : this.#norm + bitsAt(this.#text, this.#start + this.count * this.#freqWidth + i * this.#normWidth, this.#normWidth) }

  /**
   * Reads positions.
   *
   * @param {number} i a posting, not before those that were asked for earlier
   * @param {Int32Array} out has room for as many as its frequency
   */
  positions (i, out) {
    if (this.#isTail) return this.#tailPositions(i, out)
    if (this.#areSpread) return this.#spreadPositions(i, out)
    if (++this.#asked >= SOME && this.#asked * APART > i) {
      this.#spread()
      return this.#spreadPositions(i, out)
    }
    if (this.#placeWidth > 0 && i - (i % SKIP) > this.#next) this.#skip(Math.floor(i / SKIP))
    this.#places.sums(this.#k, null, 0, this.#between(this.#next, i), 0, 0)
    this.#places.sums(this.#k, out, 0, this.freq(i), 0, 0)
    this.#next = i + 1
  }

  /** Reads all positions that are left at once. */
  #spread () {
    const { freqs } = this.all()
    const ends = this.#ends
    ends[this.#next] = 0
    for (let i = this.#next; i < this.count; i++) ends[i + 1] = ends[i] + freqs[i]
    const total = ends[this.count]
    if (this.#sums.length < total) this.#sums = new Int32Array(2 * total)
    this.#places.sums(this.#k, this.#sums, 0, total, 0, 0)
    this.#areSpread = true
  }

  /** @param {number} i @param {Int32Array} out */
  #spreadPositions (i, out) {
    const sums = this.#sums
    const from = this.#ends[i]
    const freq = this.#ends[i + 1] - from
    const before = from === 0 ? 0 : sums[from - 1]
    for (let k = 0; k < freq; k++) out[k] = sums[from + k] - before
  }

  /** @param {number} place which one, from 1 */
  #skip (place) {
    this.#places.open(this.#positions, this.#codes + bitsAt(this.#positions, this.#base + 7 + (place - 1) * this.#placeWidth, this.#placeWidth))
    this.#next = place * SKIP
  }

  /** Occurrences of postings. @param {number} from @param {number} to */
  #between (from, to) {
    let sum = 0
    for (let i = from; i < to; i++) sum += this.freq(i)
    return sum
  }

  /** @param {number} i @param {Int32Array} out */
  #tailPositions (i, out) {
    const places = this.#tailPlaces
    for (let left = this.#between(this.#next, i); left > 0; left--) places.next()
    const freq = this.#freqs[i]
    for (let k = 0, position = 0; k < freq; k++) out[k] = position += places.next()
    this.#next = i + 1
  }

  /** Adds all postings. @param {import('./columns').Columns} columns */
  addTo (columns) {
    const { freqs, norms } = this.all()
    let most = 0
    for (let i = 0; i < this.count; i++) most = Math.max(most, freqs[i])
    const places = new Int32Array(most)
    for (let i = 0; i < this.count; i++) {
      columns.add(this.docs[i], norms[i])
      this.positions(i, places)
      for (let k = 0; k < freqs[i]; k++) columns.addPosition(places[k])
    }
  }
}

/** @param {string} text @param {number} bit @param {number} width of each @param {Int32Array | Uint8Array} out @param {number} count @param {number} more added to each */
function readAll (text, bit, width, out, count, more) {
  if (width === 0) {
    out.fill(more, 0, count)
    return
  }
  const mask = (1 << width) - 1
  let at = Math.floor(bit / 7)
  let have = 7 * (at + 1) - bit
  let bits = text.charCodeAt(at++) >>> (7 - have)
  for (let i = 0; i < count; i++) {
    while (have < width) {
      bits |= text.charCodeAt(at++) << have
      have += 7
    }
    out[i] = (bits & mask) + more
    bits >>>= width
    have -= width
  }
}

module.exports = { BlockReader }
