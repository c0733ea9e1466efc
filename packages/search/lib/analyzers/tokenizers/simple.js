'use strict'

const { lowerCase } = require('./lower-case')

/** @typedef {import('../../..').Token} Token */

/** At most as long as Lucene's longest tokens; a longer run makes several. */
const LETTERS = /\p{L}{1,255}/gu
/** White space as Java's `Character.isWhitespace` has it: without the spaces that do not break. */
// eslint-disable-next-line no-control-regex -- the separators of ASCII
const NO_SPACE = /[^\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]{1,255}/gu

/**
 * @param {string} text
 * @param {RegExp} pattern with the flag g
 */
function matches (text, pattern) {
  /** @type {Token[]} */
  const tokens = []
  for (const { 0: term, index } of text.matchAll(pattern)) {
    tokens.push({ term, position: tokens.length, start: index, end: index + term.length })
  }
  return tokens
}

/** Splits at all that is no letter, in lower case. @param {string} text */
function letterTokens (text) { return matches(lowerCase(text), LETTERS) }

/** Splits at white space alone. @param {string} text */
function whitespaceTokens (text) { return matches(text, NO_SPACE) }

/** The whole text as one token. @param {string} text @returns {Token[]} */
function keywordTokens (text) { return [{ term: text, position: 0, start: 0, end: text.length }] }

module.exports = { keywordTokens, letterTokens, matches, whitespaceTokens }
