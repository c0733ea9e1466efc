'use strict'

const { BitWriter, riceOf, widthOf } = require('./bits')
const { impactsOf } = require('./impacts')
const { NumberWriter } = require('./numbers')

/**
 * @typedef {import('./columns').Columns} Columns
 * @typedef {{ last: number, impacts: string, text: string, positions: string }} Block last: its last document; impacts: see impacts.js
 */

/*
 * A block of postings as text:
 *
 *   a number                the highest frequency: see numbers.js
 *   a character             the least norm
 *   two numbers             how many postings, the first document
 *   three characters        k of the documents, bits of a norm, k of the positions
 *   bits                    see bits.js: all frequencies, less one; all norms, less the least; and of each document but the
 *                           first its distance from the one before, less one, in Rice codes. With a k of 0 that is a row of
 *                           bits, one for each document
 *
 * Its positions are another text, since few queries read them, and those of common terms are long:
 *
 *   a character             bits of a place; 0, if there are few positions: there are no places then
 *   places                  of each SKIP-th posting but the first: where its codes begin, in bits; the last character is filled up
 *   codes                   of each posting: of each occurrence its position - the one before, in Rice codes
 */

/** Postings of a block: a search leaves that many out at once. */
const BLOCK = 128

/** How much longer documents may be as a row of bits, which is read faster. */
const ROW = 1.2

/** Postings between places where positions can be begun with, and positions of a block from which on there are some. */
const SKIP = 16
const MANY = 2 * BLOCK

const header = new NumberWriter()
const bits = new BitWriter()

/**
 * @param {Columns} columns
 * @param {number} from
 * @param {number} to above `from`
 * @returns {Block}
 */
function packBlock (columns, from, to) {
  const { docs, freqs, norms } = columns
  const frequencies = rangeOf(freqs, from, to)
  const lengths = rangeOf(norms, from, to)
  const freqWidth = widthOf(frequencies.high - 1)
  const normWidth = widthOf(lengths.high - lengths.low)
  for (let i = from; i < to; i++) bits.put(freqs[i] - 1, freqWidth)
  for (let i = from; i < to; i++) bits.put(norms[i] - lengths.low, normWidth)
  const k = documentRice(docs[to - 1] - docs[from] - (to - from - 1), to - from - 1)
  for (let i = from + 1; i < to; i++) bits.putRice(docs[i] - docs[i - 1] - 1, k)
  const documents = bits.take()
  const ofPositions = positionRice(columns, from, to)
  header.put(frequencies.high)
  header.putCode(lengths.low)
  header.put(to - from)
  header.put(docs[from])
  for (const number of [k, normWidth, ofPositions]) header.putCode(number)
  return { last: docs[to - 1], impacts: impactsOf(columns, from, to), text: header.take() + documents, positions: packPositions(columns, from, to, ofPositions) }
}

/** @param {Int32Array | Uint8Array} numbers @param {number} from @param {number} to */
function rangeOf (numbers, from, to) {
  let low = numbers[from]
  let high = low
  for (let i = from + 1; i < to; i++) {
    if (numbers[i] < low) low = numbers[i]
    if (numbers[i] > high) high = numbers[i]
  }
  return { low, high }
}

/** @param {number} sum of all distances @param {number} count */
function documentRice (sum, count) {
  const k = riceOf(sum, count)
  return k > 0 && sum + count <= ROW * (count * (k + 1) + sum / 2 ** k) ? 0 : k
}

/** @param {Columns} columns @param {number} from @param {number} to */
function positionRice ({ positions, starts }, from, to) {
  let sum = 0
  for (let i = from; i < to; i++) sum += positions[starts[i + 1] - 1]
  return riceOf(sum, starts[to] - starts[from])
}

/** @param {Columns} columns @param {number} from @param {number} to @param {number} k */
function packPositions ({ positions, starts }, from, to, k) {
  const places = []
  for (let i = from; i < to; i++) {
    if (i > from && (i - from) % SKIP === 0) places.push(bits.length)
    for (let at = starts[i], before = 0; at < starts[i + 1]; at++) {
      bits.putRice(positions[at] - before, k)
      before = positions[at]
    }
  }
  const codes = bits.take()
  const width = starts[to] - starts[from] < MANY ? 0 : widthOf(places.at(-1) ?? 0)
  for (const place of places) if (width > 0) bits.put(place, width)
  return String.fromCharCode(width) + bits.take() + codes
}

module.exports = { BLOCK, SKIP, packBlock }
