'use strict'

const { bestScore, skipImpacts } = require('./impacts')
const { NumberReader, NumberWriter } = require('./numbers')

/*
 * Blocks of a term that follow each other share a record: there are fewer to be read then. As text:
 *
 *   a number                how many blocks
 *   of each, three numbers  how much its last document is above that of the one before, the length of its text, and that of its positions
 *     its impacts           see impacts.js
 *   the texts of all        see block.js
 *
 * Another record has the positions of all, one behind the other.
 */

/** @typedef {import('./block').Block} Block */

/** Blocks of a record, and characters of positions from which on others are in another one. */
const MOST = 32
const LONG = 32 * 1024

const header = new NumberWriter()

/** @param {Block[]} blocks in the order of their documents @returns {{ last: number, text: string, positions: string }} */
function packGroup (blocks) {
  header.put(blocks.length)
  let text = header.take()
  let last = 0
  for (const block of blocks) {
    header.put(block.last - last)
    header.put(block.text.length)
    header.put(block.positions.length)
    text += header.take() + block.impacts
    last = block.last
  }
  return { last, text: text + blocks.map(block => block.text).join(''), positions: blocks.map(block => block.positions).join('') }
}

/** Divides blocks into those of each record. @param {Block[]} blocks @returns {Block[][]} */
function groupsOf (blocks) {
  /** @type {Block[][]} */
  const groups = []
  let length = LONG
  for (const block of blocks) {
    if (length >= LONG || groups[groups.length - 1].length === MOST) {
      groups.push([])
      length = 0
    }
    groups[groups.length - 1].push(block)
    length += block.positions.length
  }
  return groups
}

/** Reads where the blocks of a record are. One object reads one record after the other. */
class GroupReader {
  count = 0
  text = ''
  /** The last document of each block. */
  lasts = new Float64Array(MOST)
  /** Starts of the texts, and the end of the last. */
  starts = new Int32Array(MOST + 1)
  /** The same of positions. */
  places = new Int32Array(MOST + 1)
  #impacts = new Int32Array(MOST)
  #reader = new NumberReader('')

  /** @param {string} text */
  open (text) {
    const reader = this.#reader
    this.text = reader.text = text
    reader.at = 0
    const count = this.count = reader.next()
    const { lasts, starts, places } = this
    starts[0] = places[0] = 0
    for (let i = 0, last = 0; i < count; i++) {
      lasts[i] = last += reader.next()
      starts[i + 1] = starts[i] + reader.next()
      places[i + 1] = places[i] + reader.next()
      this.#impacts[i] = reader.at
      skipImpacts(reader)
    }
    for (let i = 0; i <= count; i++) starts[i] += reader.at
  }

  /** The score that no posting of a block exceeds. @param {number} i @param {{ score (freq: number, norm: number): number }} scorer */
  bestScore (i, scorer) {
    this.#reader.at = this.#impacts[i]
    return bestScore(this.#reader, scorer)
  }

  /** A block as it is. @param {number} i @param {string} positions of all @returns {Block} */
  block (i, positions) {
    this.#reader.at = this.#impacts[i]
    skipImpacts(this.#reader)
    return {
      last: this.lasts[i],
      impacts: this.text.slice(this.#impacts[i], this.#reader.at),
      text: this.text.slice(this.starts[i], this.starts[i + 1]),
      positions: positions.slice(this.places[i], this.places[i + 1])
    }
  }
}

module.exports = { GroupReader, MOST, groupsOf, packGroup }
