'use strict'

const { randomUUID } = require('node:crypto')
const { BETWEEN, keyPart } = require('../layout')

/** Room for tokens at first. */
const ROOM = 1024

/**
 * The tokens of some documents: which terms they have where. A thread sends the names of terms that
 * it did not send before: see dictionaries.js.
 *
 * @typedef {{ names: string[], tokens: Int32Array, positions: Int32Array }} Terms names: of terms; tokens: which of these; positions: in
 *   the field of the document
 * @typedef {Omit<Terms, 'names'> & { dictionary: string, base: number, more: string | null }} SentTerms dictionary: whose names these are; base: how many
 *   went before; more: the others, between `BETWEEN`; null: there are none
 */

/** Gathers terms, each of which has a place. */
class TermTable {
  /** @type {Map<string, number>} */
  #places = new Map()
  /** @type {string[]} */
  #names = []
  #dictionary = randomUUID()
  /** Names that went. */
  #sent = 0
  #tokens = new Int32Array(ROOM)
  #positions = new Int32Array(ROOM)
  /** The tokens that documents refer to; it is filled in the end. */
  terms = noTerms()
  /** Tokens so far. */
  count = 0

  /** @param {string} term @param {number} position */
  add (term, position) { this.put(this.placeOf(term), position) }

  /** @param {string} term */
  placeOf (term) { return this.#places.get(term) ?? this.#newPlace(term) }

  /** @param {number} place of the term @param {number} position */
  put (place, position) {
    if (this.count === this.#tokens.length) this.#grow()
    this.#tokens[this.count] = place
    this.#positions[this.count++] = position
  }

  /** Adds tokens again, behind all. @param {number} from @param {number} to */
  repeat (from, to) { for (let at = from; at < to; at++) this.put(this.#tokens[at], this.#positions[at]) }

  /**
   * Brings tokens into the order of their positions.
   *
   * @param {number} from
   * @param {number} to
   */
  sort (from, to) {
    const order = Array.from({ length: to - from }, (_, i) => from + i).sort((a, b) => this.#positions[a] - this.#positions[b] || a - b)
    const tokens = order.map(at => this.#tokens[at])
    const positions = order.map(at => this.#positions[at])
    this.#tokens.set(tokens, from)
    this.#positions.set(positions, from)
  }

  /** Different terms may be one in a key. @param {string} term */
  #newPlace (term) {
    const name = keyPart(term)
    let place = name === term ? undefined : this.#places.get(name)
    // A term may be a part of a text, which would be kept with it.
    if (place === undefined) this.#places.set(name, place = this.#names.push(Buffer.from(name).toString()) - 1)
    if (name !== term) this.#places.set(term, place)
    return place
  }

  #grow () {
    this.#tokens = twice(this.#tokens)
    this.#positions = twice(this.#positions)
  }

  /** Fills `terms` for this thread. */
  finish () {
    Object.assign(this.terms, { names: this.#names, ...this.#take() })
  }

  /** Fills `terms` for another one, and begins others. */
  send () {
    const more = this.#sent === this.#names.length ? null : this.#names.slice(this.#sent).join(BETWEEN)
    Object.assign(this.terms, { dictionary: this.#dictionary, base: this.#sent, more, ...this.#take() })
    this.#sent = this.#names.length
    this.terms = noTerms()
  }

  /** Forgets tokens of which nothing is to become. */
  clear () { this.#take() }

  #take () {
    const tokens = this.#tokens.slice(0, this.count)
    const positions = this.#positions.slice(0, this.count)
    this.count = 0
    return { tokens, positions }
  }
}

/** @returns {Terms} */
function noTerms () { return { names: [], tokens: new Int32Array(0), positions: new Int32Array(0) } }

/** @param {Int32Array} array */
function twice (array) {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}

module.exports = { TermTable, twice }
