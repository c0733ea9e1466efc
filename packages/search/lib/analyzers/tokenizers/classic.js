'use strict'

const { lowerCase } = require('./lower-case')

/** @typedef {import('../../..').Token} Token */

const CJK = '\\u3040-\\u30ff\\u3100-\\u312f\\u31f0-\\u31ff\\u3300-\\u337f\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff65-\\uff9f'
const LETTER = `(?:(?![${CJK}])[\\p{L}\\u0e00-\\u0e59])`
const ALPHA_NUMERIC = `(?:(?![${CJK}])[\\p{L}\\p{Nd}\\u0e00-\\u0e59])`
const HAS_DIGIT = `(?=${LETTER}*\\p{Nd})${ALPHA_NUMERIC}+`

/** @param {string} source */
function sticky (source) { return new RegExp(source, 'uy') }

/** The grammar of Lucene's ClassicTokenizer; the longest match is the token, and of equal ones the first. */
const rules = [
  sticky(`${ALPHA_NUMERIC}+`),
  sticky(`${LETTER}+(?:'${LETTER}+)+`),
  sticky(`${LETTER}\\.(?:${LETTER}\\.)+`),
  sticky(`${LETTER}+[&@]${LETTER}+`),
  sticky(`${ALPHA_NUMERIC}+(?:[._-]${ALPHA_NUMERIC}+)*@${ALPHA_NUMERIC}+(?:[.-]${ALPHA_NUMERIC}+)+`),
  sticky(`${ALPHA_NUMERIC}+(?:\\.${ALPHA_NUMERIC}+)+`),
  sticky(`(?:${HAS_DIGIT})(?:[-_/.,]${ALPHA_NUMERIC}+[-_/.,](?:${HAS_DIGIT}))*(?:[-_/.,]${ALPHA_NUMERIC}+)?`),
  sticky(`${ALPHA_NUMERIC}+[-_/.,](?:${HAS_DIGIT})(?:[-_/.,]${ALPHA_NUMERIC}+[-_/.,](?:${HAS_DIGIT}))*(?:[-_/.,]${ALPHA_NUMERIC}+)?`),
  sticky(`[${CJK}]`)
]

/** The longest piece of the text that is looked at for one token. */
const WINDOW = 255

/** @param {string} text @param {number} at @returns {string} the longest match at that place */
function longest (text, at) {
  const window = text.slice(at, at + WINDOW)
  let best = ''
  for (const rule of rules) {
    rule.lastIndex = 0
    const found = rule.exec(window)
    if (found !== null && found[0].length > best.length) best = found[0]
  }
  return best
}

/** Takes off a possessive's `'s` and the points of an acronym, as ClassicFilter does. @param {string} term */
function trim (term) {
  if (/^\p{L}+(?:'\p{L}+)*'s$/u.test(term)) return term.slice(0, -2)
  return /^(?:\p{L}\.){2,}$/u.test(term) ? term.replaceAll('.', '') : term
}

const START = /[\p{L}\p{Nd}\u0e00-\u0e59\u3040-\u30ff\u3100-\u312f\u3300-\u337f]/gu
const PLAIN = /[a-z0-9]{1,255}(?![^\s()";:])/y

/** @param {string} text @param {number} at */
function termAt (text, at) {
  PLAIN.lastIndex = at
  const plain = PLAIN.exec(text)
  return plain === null ? longest(text, at) : plain[0]
}

/**
 * Splits text as Lucene's ClassicTokenizer does, in lower case: mail addresses, host names, acronyms, companies' names and
 * numbers of products are one token each.
 *
 * @param {string} text
 */
function classicTokens (text) {
  const lower = lowerCase(text)
  /** @type {Token[]} */
  const tokens = []
  START.lastIndex = 0
  for (let found = START.exec(lower); found !== null; found = START.exec(lower)) {
    const term = termAt(lower, found.index)
    if (term === '') continue
    const end = found.index + term.length
    tokens.push({ term: trim(term), position: tokens.length, start: found.index, end })
    START.lastIndex = end
  }
  return tokens
}

module.exports = { classicTokens }
