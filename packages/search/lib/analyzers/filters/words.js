'use strict'

const { lowerCase } = require('../tokenizers/lower-case')

/** @typedef {import('../../..').Token} Token */
/** @typedef {(tokens: Token[]) => Token[]} Filter */

/**
 * Replaces each token's term.
 *
 * @param {(term: string) => string} change
 * @returns {Filter}
 */
function mapping (change) {
  return tokens => {
    for (const token of tokens) token.term = change(token.term)
    return tokens
  }
}

/**
 * Leaves words out; the others keep their positions, so that a phrase has a gap there.
 *
 * @param {ReadonlySet<string>} words
 * @returns {Filter}
 */
function stopping (words) { return tokens => tokens.filter(({ term }) => !words.has(term)) }

/**
 * Takes articles off that an apostrophe joins to a word, as in "l'avion".
 *
 * @param {string} articles separated by spaces
 * @returns {Filter}
 */
function eliding (articles) {
  const set = new Set(articles.split(' '))
  return mapping(term => {
    const at = term.search(/['\u2019]/)
    return at > 0 && set.has(term.slice(0, at)) ? term.slice(at + 1) : term
  })
}

/** Takes the 's of English off. */
const withoutPossessive = mapping(term => {
  const before = term.charCodeAt(term.length - 2)
  const isPossessive = term.length > 2 && term.charCodeAt(term.length - 1) === 115 && (before === 0x27 || before === 0x2019 || before === 0xff07)
  return isPossessive ? term.slice(0, -2) : term
})

/** Takes off what follows an apostrophe, as Turkish writes endings of names. */
const withoutApostrophe = mapping(term => term.replace(/['\u2019][^]*$/, ''))

/** Writes each system's digits as 0 to 9. */
const asciiDigits = mapping(term => term.replace(/(?![0-9])\p{Nd}/gu, digit => String(digitOf(digit))))

/** Digits of a system follow one another, from a multiple of ten on or from a place of 6 or 16. @param {string} digit */
function digitOf (digit) {
  const point = /** @type {number} */ (digit.codePointAt(0))
  let zero = point
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return (point - zero) % 10
}

/** Irish writes a mutation's letter small before a capital one: nAthair is n-athair. @param {string} text @param {Token[]} tokens */
function irishMutations (text, tokens) {
  for (const token of tokens) {
    if (/^[nt][A-ZÁÉÍÓÚ]/.test(text.slice(token.start, token.end))) token.term = `${token.term[0]}-${token.term.slice(1)}`
  }
  return tokens
}

/** A dotless i is the small letter of the capital without a dot. @param {string} text */
function turkishLowerCase (text) { return lowerCase(text.replace(/I(?!\u0307)/g, 'ı').replace(/I\u0307/g, 'i')) }

module.exports = { asciiDigits, eliding, irishMutations, mapping, stopping, turkishLowerCase, withoutApostrophe, withoutPossessive }
