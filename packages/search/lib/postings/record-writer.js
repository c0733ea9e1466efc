'use strict'

const { NumberWriter, lengthOf } = require('./numbers')
const { TERMS } = require('./records')

const NO_RECORD = Buffer.alloc(0)

/** Bytes of which records are cut. */
const CHUNK = 256 * 1024

/**
 * A term in a record as bytes: where it is, and what stands there.
 *
 * @typedef {{ start: number, end: number, df: number, blocks: number, count: number, last: number, docs: number, positions: number }} Place start, end:
 *   of what `encodeTerm` gives (see records.js); docs, positions: where these begin; they end where the next begins
 */

/** Writes records of terms again, with more postings: what does not change is copied as bytes, and no text is made of it. */
class RecordWriter {
  #chunk = Buffer.alloc(0)
  #start = 0
  #at = 0
  #docs = new NumberWriter()
  #positions = new NumberWriter()

  begin () { this.#start = this.#at }

  /**
   * @param {Buffer} record
   * @param {number} slot of the term in the record
   * @param {Place} place
   */
  copy (record, slot, { start, end }) {
    this.#head(slot, end - start)
    this.#copy(record, start, end)
  }

  /** @param {number} slot @param {string} text as `encodeTerm` gives it */
  text (slot, text) {
    this.#head(slot, text.length)
    this.#at += this.#chunk.write(text, this.#at, 'latin1')
  }

  /**
   * Writes a term with more postings in its tail.
   *
   * @param {Buffer} record
   * @param {number} slot
   * @param {Place} place
   * @param {import('./columns').Columns} columns the postings that come behind the tail
   */
  extend (record, slot, { df, blocks, count, last, docs, positions, end }, columns) {
    columns.writeTail(last, this.#docs, this.#positions)
    const more = columns.count
    const ends = columns.docs[more - 1]
    const tail = positions - docs + this.#docs.length
    // It is done for very many terms: without a list of the numbers there is less to be collected.
    const length = lengthOf(df + more) + lengthOf(blocks) + lengthOf(count + more) + lengthOf(ends) + lengthOf(tail)
    this.#head(slot, length + end - docs + this.#docs.length + this.#positions.length)
    this.#number(df + more)
    this.#number(blocks)
    this.#number(count + more)
    this.#number(ends)
    this.#number(tail)
    this.#copy(record, docs, positions)
    this.#at += this.#docs.moveTo(this.#chunk, this.#at)
    this.#copy(record, positions, end)
    this.#at += this.#positions.moveTo(this.#chunk, this.#at)
  }

  /**
   * Writes a term whose last postings are in two records.
   *
   * @param {number} slot
   * @param {Buffer} record
   * @param {Place} place
   * @param {Buffer} late has those that come behind
   * @param {Place} more
   */
  join (slot, record, place, late, more) {
    const numbers = [place.df + more.df, place.blocks, place.count + more.count, more.last, place.positions - place.docs + more.positions - more.docs]
    this.#head(slot, numbers.reduce((sum, number) => sum + lengthOf(number), 0) + place.end - place.docs + more.end - more.docs)
    for (const number of numbers) this.#number(number)
    this.#copy(record, place.docs, place.positions)
    this.#copy(late, more.docs, more.positions)
    this.#copy(record, place.positions, place.end)
    this.#copy(late, more.positions, more.end)
  }

  /** @returns {Buffer} the record, which stays as it is; empty: no term is left */
  end () { return this.#chunk.subarray(this.#start, this.#at) }

  /** @param {number} slot @param {number} length of what follows */
  #head (slot, length) {
    this.#room(length + 16)
    this.#chunk[this.#at++] = slot
    this.#number(length)
  }

  /** @param {number} number */
  #number (number) {
    const chunk = this.#chunk
    for (; number > 63; number = Math.floor(number / 64)) chunk[this.#at++] = 64 | (number % 64)
    chunk[this.#at++] = number
  }

  /** @param {Buffer} from @param {number} start @param {number} end */
  #copy (from, start, end) {
    const chunk = this.#chunk
    let at = this.#at
    // To call for a copy costs more than to copy a little.
    if (end - start > 64) at += from.copy(chunk, at, start, end)
    else for (let i = start; i < end; i++) chunk[at++] = from[i]
    this.#at = at
  }

  /** @param {number} length */
  #room (length) {
    if (this.#at + length <= this.#chunk.length) return
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, 2 * (this.#at - this.#start + length)))
    this.#at = this.#chunk.copy(chunk, 0, this.#start, this.#at)
    this.#start = 0
    this.#chunk = chunk
  }
}

/** Goes through the terms of a record, in the order of their slots. It is the place of one of them. @implements {Place} */
class PlaceReader {
  #record = /** @type {Buffer} */ (NO_RECORD)
  #at = 0
  /** `TERMS` behind the last. */
  slot = TERMS
  start = 0
  end = 0
  df = 0
  blocks = 0
  count = 0
  last = 0
  docs = 0
  positions = 0

  /** @param {Buffer} record */
  open (record) {
    this.#record = record
    this.#at = 0
    this.next()
  }

  next () {
    if (this.#at === this.#record.length) {
      this.slot = TERMS
      return
    }
    this.slot = this.#record[this.#at++]
    const length = this.#number()
    this.start = this.#at
    this.end = this.#at + length
    this.df = this.#number()
    this.blocks = this.#number()
    this.count = this.#number()
    this.last = this.#number()
    const positions = this.#number()
    this.docs = this.#at
    this.positions = this.#at + positions
    this.#at = this.end
  }

  #number () {
    const record = this.#record
    let code = record[this.#at++]
    let number = code & 63
    for (let factor = 64; code > 63; factor *= 64) {
      code = record[this.#at++]
      number += (code & 63) * factor
    }
    return number
  }
}

/** Reads where the terms of a record are. @param {Buffer} record @returns {Array<Place | undefined>} by their slots */
function placesOf (record) {
  /** @type {Array<Place | undefined>} */
  const places = new Array(TERMS).fill(undefined)
  const reader = new PlaceReader()
  for (reader.open(record); reader.slot < TERMS; reader.next()) {
    const { start, end, df, blocks, count, last, docs, positions } = reader
    places[reader.slot] = { start, end, df, blocks, count, last, docs, positions }
  }
  return places
}

/** @type {Readonly<Place>} */
const NO_PLACE = Object.freeze({ start: 0, end: 0, df: 0, blocks: 0, count: 0, last: 0, docs: 0, positions: 0 })

module.exports = { NO_PLACE, NO_RECORD, PlaceReader, RecordWriter, placesOf }
