'use strict'

const { NO_TERM } = require('./writer')
const { recordOf } = require('../../postings/records')

/** @typedef {import('./writer').Change} Change */

/** Places of terms in a batch, of which the last is none. */
const PLACES = 2 ** 22
const NO_PLACE = PLACES - 1

/** The terms that change, in the order of their numbers, by the records that they are in. */
class TermChanges {
  /** `PLACES` times the number of a term, and its place in the batch, the last for none. */
  #changes
  #removed
  /** Starts of the records, and the end of the last. */
  #starts

  /** @param {Float64Array} changes ascending @param {Map<number, Set<number>>} removed number of a term → documents that have it no longer */
  constructor (changes, removed) {
    this.#changes = changes
    this.#removed = removed
    this.#starts = recordStarts(changes)
  }

  /** How many records there are. */
  get records () { return this.#starts.length - 1 }

  /** The number of a record. @param {number} i */
  record (i) { return recordOf(numberOf(this.#changes[this.#starts[i]])) }

  /** The terms of a record that change. @param {number} i @returns {Change[]} */
  of (i) {
    const changes = []
    for (let at = this.#starts[i]; at < this.#starts[i + 1]; at++) {
      const change = this.#changes[at]
      const number = numberOf(change)
      const place = change % PLACES
      changes.push({ number, place: place === NO_PLACE ? NO_TERM : place, out: this.#removed.get(number) })
    }
    return changes
  }
}

/**
 * @param {import('../posting-batch').PostingBatch} batch whose terms have numbers
 * @param {Map<number, Set<number>>} removed
 */
function termChanges ({ numbers, terms }, removed) {
  if (terms >= NO_PLACE) throw new Error('A batch has too many terms')
  const gone = new Set(removed.keys())
  if (gone.size > 0) for (let place = 0; place < terms; place++) gone.delete(numbers[place])
  const changes = new Float64Array(terms + gone.size)
  for (let place = 0; place < terms; place++) changes[place] = numbers[place] * PLACES + place
  let end = terms
  for (const number of gone) changes[end++] = number * PLACES + NO_PLACE
  return new TermChanges(changes.sort(), removed)
}

/** @param {number} change */
function numberOf (change) { return Math.floor(change / PLACES) }

/** @param {Float64Array} changes @returns {number[]} */
function recordStarts (changes) {
  const starts = []
  for (let i = 0, last = -1; i < changes.length; i++) {
    const record = recordOf(numberOf(changes[i]))
    if (record !== last) starts.push(i)
    last = record
  }
  starts.push(changes.length)
  return starts
}

module.exports = { termChanges }
