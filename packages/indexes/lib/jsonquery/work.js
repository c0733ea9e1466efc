'use strict'

const { Turn } = require('@potoroo/document-store')
const { tooMuch } = require('./query-error')

/** Elements that a query looks at, and those at once, for one element of a list, some ten milliseconds. */
const MOST = 20_000_000
const MOST_AT_ONCE = 20_000

/** Characters that are compared or joined in the time of an element. */
const CHARACTERS = 256

/** Memory that the values take which a query makes, in units of 16 bytes, about. */
const MOST_MADE = 4_000_000

/** Elements between two looks at the clock. */
const EVERY = 32

/**
 * The work of a step, element by element: at each `yield` others may run.
 * @typedef {Generator<void, any, void>} Walk
 */

/** Bounds what a query does, and how long it keeps others waiting. */
class Work {
  #left = MOST
  #atOnce = MOST_AT_ONCE
  #made = 0
  #turn = new Turn()
  #count = 0

  /** @param {number} [elements] */
  spend (elements = 1) {
    this.#left -= elements
    this.#atOnce -= elements
    if (this.#left < 0) throw tooMuch(`The query looks at more than ${MOST} values`)
    if (this.#atOnce < 0) throw tooMuch(`The query looks at more than ${MOST_AT_ONCE} values for one`)
  }

  /** @param {number} characters */
  spendText (characters) { this.spend(characters / CHARACTERS) }

  /** @param {number} units of memory */
  make (units) {
    this.#made += units
    if (this.#made > MOST_MADE) throw tooMuch(`The query makes more than ${MOST_MADE} values`)
  }

  /** Walks to the end without a pause: within one element. @param {Walk} walk @returns {any} */
  finish (walk) {
    for (;;) {
      const { value, done } = walk.next()
      if (done) return value
      this.spend()
    }
  }

  /** Walks in turns. @param {Walk} walk @returns {Promise<any>} */
  async walk (walk) {
    for (;;) {
      const { value, done } = walk.next()
      if (done) return value
      const pause = this.next()
      if (pause !== undefined) await pause
    }
  }

  /** The next element of a list begins. @returns {Promise<void> | undefined} what to wait for */
  next () {
    const used = MOST_AT_ONCE - this.#atOnce
    this.#atOnce = MOST_AT_ONCE
    this.spend()
    // The more an element takes, the sooner the clock is looked at.
    this.#count += 1 + used / EVERY
    if (this.#count < EVERY) return undefined
    this.#count = 0
    return this.#turn.isLong ? this.#turn.end() : undefined
  }
}

module.exports = { Work }
