'use strict'

const { Random, documentId } = require('../data/samples')

/** UTF-16 units of an article, about, all of them ASCII. */
const LENGTH = 2048

const CONSONANTS = 'bcdfghjklmnprstvwz'
const VOWELS = 'aeiou'
const SYLLABLES = CONSONANTS.length * VOWELS.length

/** The words of a language, the commonest first: common ones are short. @param {number} count */
function makeWords (count) {
  const syllable = (/** @type {number} */ n) => CONSONANTS[Math.floor(n / VOWELS.length)] + VOWELS[n % VOWELS.length]
  return Array.from({ length: count }, (_, rank) => {
    // A prime mixes them, so that neighbours in rank are none in the alphabet.
    let rest = rank < SYLLABLES ? rank : (rank * 7919) % SYLLABLES ** 3
    let word = ''
    do {
      word += syllable(rest % SYLLABLES)
      rest = Math.floor(rest / SYLLABLES)
    } while (rest > 0)
    return word + CONSONANTS[rank % CONSONANTS.length]
  })
}

/** Articles of words whose frequency is one by their rank, by Zipf's law: equal seeds give equal articles. */
class Articles {
  #words
  #random

  /** @param {number} vocabulary words @param {number} [seed] */
  constructor (vocabulary, seed = 1) {
    this.#words = [...new Set(makeWords(vocabulary))]
    this.#random = new Random(seed)
  }

  /** @returns {string} */
  word () { return this.#words[Math.floor(this.#words.length ** (this.#random.next() / 2 ** 32)) - 1] ?? this.#words[0] }

  /** The commonest words. @param {number} count */
  common (count) { return this.#words.slice(0, count) }

  text () {
    const words = []
    for (let length = 0; length < LENGTH;) length += words[words.push(this.word()) - 1].length + 1
    return words.join(' ')
  }

  /** @param {number} start @param {number} count @returns {Array<{ _id: string, text: string }>} */
  make (start, count) { return Array.from({ length: count }, (_, i) => ({ _id: documentId(start + i), text: this.text() })) }
}

/**
 * Queries whose words stand in the articles of the same vocabulary, as often as they stand there.
 *
 * @param {number} vocabulary
 * @param {number} count of each kind
 * @returns {Record<'term' | 'and' | 'phrase', string[][]>} words of each
 */
function makeQueries (vocabulary, count) {
  const articles = new Articles(vocabulary)
  const texts = articles.make(0, count).map(({ text }) => text.split(' '))
  const random = new Random(2)
  const place = (/** @type {string[]} */ words) => random.next() % (words.length - 1)
  return {
    term: texts.map(words => [words[place(words)]]),
    and: texts.map(words => [words[place(words)], words[place(words)]]),
    phrase: texts.map(words => {
      const at = place(words)
      return words.slice(at, at + 2)
    })
  }
}

module.exports = { Articles, makeQueries }
