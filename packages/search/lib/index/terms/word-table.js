'use strict'

const { randomInt } = require('node:crypto')
const { HALF, Words } = require('../../analyzers/tokenizers/standard')

/** Places for words at first: twice as many as there are words, at least. */
const ROOM = 2048

/** A row for each place: the letters of its word as two numbers, and its term's place, + 2; 0 where there is no word. */
const ROW = 4
const SECOND = 1
const PLACE = 2

/** A word of which no term becomes. */
const LEFT_OUT = -1

/** The place of a word that is new. */
const NONE = -2

/**
 * Adds words to a table of terms. Each word is made a term once, and no text is made of one that was there before:
 * words of few of ASCII's letters are known by these, as two numbers.
 *
 * @typedef {import('./table').TermTable} TermTable
 */
class WordTable extends Words {
  #table
  #termOf
  /** A random number, so that nobody outside can choose words that are looked for in one place. */
  #seed = randomInt(2 ** 32)
  #rows = new Int32Array(ROW * ROOM)
  #count = 0
  /** Other words: the places of their terms. @type {Map<string, number>} */
  #others = new Map()
  #position = 0
  #most = 0
  /** The position behind the last word that became a term. */
  next = 0

  /** @param {TermTable} table @param {(word: string) => string | null} termOf null: it is left out */
  constructor (table, termOf) {
    super()
    this.#table = table
    this.#termOf = termOf
  }

  /** Begins a text. @param {number} position of its first word @param {number} most positions at and behind that are left out */
  begin (position, most) {
    this.#position = this.next = position
    this.#most = most
  }

  /** @param {string} lower @param {number} at @param {number} end @param {number} first @param {number} second */
  letters (lower, at, end, first, second) {
    if (end - at > 2 * HALF) return this.other(lower.slice(at, end))
    const row = this.#rowOf(first, second)
    const place = this.#rows[row + PLACE] - 2
    this.#add(place === NONE ? this.#newWord(lower.slice(at, end), first, second, row) : place)
  }

  /** The row of a word, or that where it is to be. @param {number} first @param {number} second */
  #rowOf (first, second) {
    const rows = this.#rows
    const mask = rows.length - 1
    let row = ROW * this.#hash(first, second) & mask
    while (rows[row + PLACE] !== 0 && (rows[row] !== first || rows[row + SECOND] !== second)) row = (row + ROW) & mask
    return row
  }

  /** @param {number} first @param {number} second */
  #hash (first, second) {
    let hash = Math.imul(first ^ this.#seed, 0x85ebca6b)
    hash = Math.imul(hash ^ hash >>> 15 ^ second, 0xc2b2ae35)
    return hash ^ hash >>> 13
  }

  /** @param {string} term */
  other (term) {
    let place = this.#others.get(term)
    // A part of a text would keep the text, too.
    if (place === undefined) this.#others.set(JSON.parse(JSON.stringify(term)), place = this.#placeOf(term))
    this.#add(place)
  }

  /** @param {number} place */
  #add (place) {
    const position = this.#position++
    if (place === LEFT_OUT || position >= this.#most) return
    this.#table.put(place, position)
    this.next = this.#position
  }

  /** @param {string} text @param {number} first @param {number} second @param {number} row @returns {number} the place of its term */
  #newWord (text, first, second, row) {
    if (2 * ROW * ++this.#count > this.#rows.length) {
      this.#grow()
      row = this.#rowOf(first, second)
    }
    const place = this.#placeOf(text)
    this.#rows.set([first, second, place + 2], row)
    return place
  }

  /** @param {string} word */
  #placeOf (word) {
    const term = this.#termOf(word)
    return term === null ? LEFT_OUT : this.#table.placeOf(term)
  }

  #grow () {
    const before = this.#rows
    this.#rows = new Int32Array(2 * before.length)
    for (let at = 0; at < before.length; at += ROW) {
      if (before[at + PLACE] !== 0) this.#rows.set(before.subarray(at, at + ROW), this.#rowOf(before[at], before[at + SECOND]))
    }
  }
}

module.exports = { WordTable }
