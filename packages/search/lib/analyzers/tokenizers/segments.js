'use strict'

const { lowerCase } = require('./lower-case')
const { MAX_LENGTH } = require('./standard')

/** @typedef {import('../../..').Token} Token */

/** The segmenter slows down with the length of what it is given, so it is given pieces. */
const PIECE = 1000

/** @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map()

/** @param {string} locale */
function segmenterOf (locale) {
  let segmenter = segmenters.get(locale)
  if (segmenter === undefined) segmenters.set(locale, segmenter = new Intl.Segmenter(locale, { granularity: 'word' }))
  return segmenter
}

/**
 * Cuts text into pieces, behind a character that ends a word if there is one.
 *
 * @param {string} text
 * @returns {Generator<{ piece: string, from: number }>}
 */
function * piecesOf (text) {
  for (let from = 0; from < text.length;) {
    let to = from + PIECE
    const near = /[\s\p{P}](?=[^\s\p{P}]*$)/u.exec(text.slice(from + PIECE / 2, to))
    if (to < text.length && near !== null) to = from + PIECE / 2 + near.index + near[0].length
    yield { piece: text.slice(from, to), from }
    from = to
  }
}

/**
 * Splits text of a language that is written without spaces into words, by ICU's dictionaries.
 *
 * @param {string} locale `ja`, `th`, `zh`
 * @returns {(text: string) => Token[]} in lower case and normal form KC
 */
function segmentTokens (locale) {
  return text => {
    /** @type {Token[]} */
    const tokens = []
    for (const { piece, from } of piecesOf(lowerCase(text))) {
      for (const { segment, index, isWordLike } of segmenterOf(locale).segment(piece)) {
        if (!isWordLike) continue
        const start = from + index
        const term = segment.slice(0, MAX_LENGTH)
        tokens.push({ term: term.normalize('NFKC'), position: tokens.length, start, end: start + term.length })
      }
    }
    return tokens
  }
}

module.exports = { segmentTokens }
