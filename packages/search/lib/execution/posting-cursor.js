'use strict'

const { BlockReader } = require('../postings/block-reader')
const { GroupReader } = require('../postings/group')
const { placeOf } = require('../postings/place')

/**
 * @typedef {import('../index/group-source').Group} Group
 * @typedef {import('../index/group-source').GroupSource} GroupSource
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ score (freq: number, norm: number): number }} Scorer
 */

/** Records that are read at once: few at first, and as many as this while all are used. */
const FIRST = 4
const MOST = 64

/** Goes through the documents of a term, block by block, and reads positions of those that are asked for. */
class PostingCursor {
  #reader
  #number
  #tail
  /** @type {GroupSource | null} */
  #source
  /** @type {Group[]} */
  #page = []
  #pageSize = FIRST
  /** How many of the page were left out. */
  #leftOut = 0
  #next = 0
  #group = new GroupReader()
  /** The last document of the record. */
  #groupLast = -1
  #block = -1
  #isAtTail = false
  /** The place of the document that was asked for last. */
  #at = 0
  /** Postings that were read since `take`. */
  #read = 0
  /** @type {Scorer | null} */
  #scorer = null
  #bound = 0
  /** Positions of all blocks of a record, by its last document. */
  #positions = ''
  #positionsOf = -1
  /** The block that it is at, once `seek` was called. */
  postings = new BlockReader()
  /** The last document of the block; -1 before the first, Infinity behind the last. */
  last = -1
  /** The document it is at, once `advance` was called; Infinity behind the last. */
  doc = -1

  /** @param {import('../index/reader').IndexReader} reader @param {Term} term */
  constructor (reader, { number, blocks, tail }) {
    this.#reader = reader
    this.#number = number
    this.#tail = tail
    this.#source = blocks === 0 ? null : reader.groups(number)
  }

  get isAtEnd () { return this.last === Infinity }

  /**
   * Goes to the first block that ends at a document or behind it.
   *
   * @param {number} doc not before those that were asked for earlier
   * @returns {void | Promise<void>} a promise where something has to be read
   */
  seek (doc) {
    if (doc <= this.last) return
    if (doc <= this.#groupLast) return this.#toBlock(doc)
    while (this.#next < this.#page.length) {
      const group = this.#page[this.#next++]
      if (group.last >= doc) return this.#toGroup(group, doc)
      this.#leftOut++
    }
    if (this.#source === null) return this.#toTail(doc)
    return this.#turn(doc)
  }

  /** @param {number} doc */
  #toBlock (doc) {
    const { lasts, starts, text } = this.#group
    let block = this.#block + 1
    while (lasts[block] < doc) block++
    this.#block = block
    this.postings.openBlock(text, starts[block])
    this.#begin(lasts[block])
  }

  /** @param {Group} group @param {number} doc */
  #toGroup ({ last, text }, doc) {
    this.#group.open(text)
    this.#groupLast = last
    this.#block = -1
    this.#toBlock(doc)
  }

  /** Reads the next records. @param {number} doc @returns {void | Promise<void>} */
  #turn (doc) {
    const isDense = 2 * this.#leftOut <= this.#page.length
    this.#pageSize = isDense ? Math.min(2 * this.#pageSize, MOST) : 1
    const page = /** @type {GroupSource} */ (this.#source).next(doc, this.#pageSize)
    return page instanceof Promise ? page.then(read => this.#opened(read, doc)) : this.#opened(page, doc)
  }

  /** @param {Group[]} page @param {number} doc @returns {void | Promise<void>} */
  #opened (page, doc) {
    this.#page = page
    this.#next = this.#leftOut = 0
    if (page.length > 0) return this.seek(doc)
    const closing = this.close()
    return closing === undefined ? this.#toTail(doc) : closing.then(() => this.#toTail(doc))
  }

  /** @param {number} doc */
  #toTail (doc) {
    if (this.#isAtTail || this.#tail.last < doc) {
      this.last = this.doc = Infinity
      return
    }
    this.#isAtTail = true
    this.postings.openTail(this.#tail)
    this.#begin(this.#tail.last)
  }

  /** @param {number} last */
  #begin (last) {
    this.last = last
    this.#at = 0
    this.#scorer = null
    this.#read += this.postings.count
  }

  /**
   * Goes to the first document from one on.
   *
   * @param {number} doc
   * @returns {void | Promise<void>} a promise where something has to be read
   */
  advance (doc) {
    const seeking = this.seek(doc)
    if (seeking !== undefined) return seeking.then(() => this.#find(doc))
    this.#find(doc)
  }

  /** @param {number} doc */
  #find (doc) {
    if (this.last === Infinity) return
    const { docs, count } = this.postings
    this.#at = placeOf(docs, this.#at, count, doc)
    this.doc = docs[this.#at]
  }

  /** The score of a document that it has. @param {number} doc @param {Scorer} scorer */
  scoreOf (doc, scorer) {
    this.#at = this.postings.placeOf(doc, this.#at)
    return scorer.score(this.freq, this.norm)
  }

  /** The score that no posting of the block exceeds. @param {Scorer} scorer */
  bestScore (scorer) {
    if (this.#isAtTail) return Infinity
    if (this.#scorer !== scorer) this.#bound = this.#group.bestScore(this.#block, scorer)
    this.#scorer = scorer
    return this.#bound
  }

  get freq () { return this.postings.freq(this.#at) }
  get norm () { return this.postings.norm(this.#at) }

  /** Gets positions where there are none yet. @returns {void | Promise<void>} */
  ready () {
    if (this.postings.hasPositions) return
    if (this.#positionsOf === this.#groupLast) return this.#openPositions()
    return this.#readPositions()
  }

  #openPositions () { this.postings.openPositions(this.#positions, this.#group.places[this.#block]) }

  async #readPositions () {
    this.#positions = await this.#reader.positions(this.#number, this.#groupLast)
    this.#positionsOf = this.#groupLast
    this.#openPositions()
  }

  /** Reads positions, after `ready`. @param {Int32Array} out has room for as many positions as its frequency */
  positions (out) { this.postings.positions(this.#at, out) }

  /** How many postings were read since the last time. */
  take () {
    const read = this.#read
    this.#read = 0
    return read
  }

  /** @returns {void | Promise<void>} */
  close () {
    const source = this.#source
    this.#source = null
    return source?.close()
  }
}

module.exports = { PostingCursor }
