'use strict'

const { placeOf } = require('../postings/place')

/** @typedef {import('./matches').Matches} Matches */

/** Goes through documents of a list in step with postings. */
class Within {
  #docs
  #length
  #at = 0

  /** @param {Matches | undefined} matches undefined: all documents */
  constructor (matches) {
    this.#docs = matches?.docs
    this.#length = matches?.length ?? 0
  }

  /** The next document, or Infinity at the end. @param {number} from that may be it */
  next (from) {
    if (this.#docs === undefined) return from
    if (this.#at < this.#length && this.#docs[this.#at] < from) this.#at = placeOf(this.#docs, this.#at, this.#length, from)
    return this.#at < this.#length ? this.#docs[this.#at] : Infinity
  }
}

module.exports = { Within }
