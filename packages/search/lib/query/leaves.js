'use strict'

const { lowerCase } = require('../analyzers/tokenizers/lower-case')
const { phraseNode, wordNode } = require('./analysis')
const { changeLiterals, unescape } = require('./escapes')

/** @typedef {import('../..').QueryNode} QueryNode */
/** @typedef {import('./lexer').Lexeme} Lexeme */
/** @typedef {import('../..').ParseOptions} ParseOptions */

/** Edits of `term~`, and the most that there are. */
const MOST_EDITS = 2

/** Numbers as Java writes them, without those of base sixteen. */
const NUMBER = /^\s*[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)\s*$/

/** @param {string} text @returns {number | undefined} */
function numberOf (text) { return NUMBER.test(text) ? Number(text.replace(/[fFdD]\s*$/, '')) : undefined }

/**
 * Makes the nodes of words, phrases, patterns and ranges.
 *
 * @see https://lucene.apache.org/core/9_12_0/queryparser/org/apache/lucene/queryparser/classic/package-summary.html
 */
class Leaves {
  #analyze
  #normalize
  #isAnd

  /** @param {ParseOptions} options */
  constructor ({ analyze, normalize = analyze.normalize ?? lowerCase, defaultOperator = 'OR' }) {
    this.#analyze = analyze
    this.#normalize = normalize
    this.#isAnd = defaultOperator === 'AND'
  }

  /**
   * @param {Lexeme} lexeme
   * @param {string} field
   * @param {string | undefined} fuzzy what stands behind `~`
   * @returns {QueryNode | null} null where analysis leaves nothing
   */
  make (lexeme, field, fuzzy) {
    switch (lexeme.kind) {
      case 'quoted': return this.#phrase(field, unescape(lexeme.text.slice(1, -1)), fuzzy)
      case 'prefix': return { type: 'prefix', field, prefix: this.#normal(unescape(lexeme.text.slice(0, -1)), field) }
      case 'wildcard': return this.#wildcard(field, lexeme.text)
      case 'regexp': return { type: 'regexp', field, pattern: this.#pattern(lexeme.text.slice(1, -1), /\\[^]|[.?*+|{}[\]()"#@&<>~^$-]+/g, field) }
      case 'range': return this.#range(field, /** @type {import('./lexer').Range} */ (lexeme.range))
      case 'bare': return this.#word(field, lexeme.text[0], fuzzy)
      default: return this.#word(field, unescape(lexeme.text), fuzzy)
    }
  }

  /** @param {string} text @param {string} field */
  #normal (text, field) { return this.#normalize(text, field) }

  /** @param {string} pattern @param {RegExp} special @param {string} field */
  #pattern (pattern, special, field) { return changeLiterals(pattern, special, text => this.#normal(text, field)) }

  /** @param {string} field @param {string} text @returns {QueryNode} */
  #wildcard (field, text) {
    unescape(text)
    return { type: 'wildcard', field, pattern: this.#pattern(text, /\\[^]|[*?]+/g, field) }
  }

  /** @param {string} field @param {string} text @param {string | undefined} fuzzy @returns {QueryNode | null} */
  #word (field, text, fuzzy) {
    return fuzzy === undefined ? this.#words(field, text) : this.#fuzzy(field, text, fuzzy)
  }

  /** @param {string} field @param {string} text @returns {QueryNode | null} */
  #words (field, text) {
    const tokens = this.#analyze(text, field)
    const number = numberOf(text)
    if (number !== undefined) return { type: 'term', field, term: tokens.length === 1 ? tokens[0].term : text, number }
    return wordNode(field, tokens, this.#isAnd && tokens.some(({ position }) => position !== tokens[0].position) ? 'must' : 'should')
  }

  /** @param {string} field @param {string} text @param {string | undefined} fuzzy @returns {QueryNode | null} */
  #phrase (field, text, fuzzy) {
    const given = numberOf(fuzzy ?? '') ?? 0
    return phraseNode(field, this.#analyze(text, field), given > 0 ? Math.min(Math.trunc(given), 0x7fffffff) : 0)
  }

  /** @param {string} field @param {string} text @param {string} fuzzy @returns {QueryNode} */
  #fuzzy (field, text, fuzzy) {
    const term = this.#normal(text, field)
    return { type: 'fuzzy', field, term, edits: editsOf(fuzzy, [...term].length), prefixLength: 0 }
  }

  /** @param {string} field @param {import('./lexer').Range} range @returns {QueryNode} */
  #range (field, { low, high, includeLow, includeHigh, isLowQuoted, isHighQuoted }) {
    const bounds = [low === '*' && !isLowQuoted ? null : unescape(low), high === '*' && !isHighQuoted ? null : unescape(high)]
    const numbers = bounds.map(bound => bound === null ? null : numberOf(bound))
    const isNumeric = !numbers.includes(undefined) && numbers.some(number => number !== null)
    const [from, to] = isNumeric ? /** @type {(number | null)[]} */ (numbers) : bounds.map(bound => bound === null ? null : this.#normal(bound, field))
    return { type: 'range', field, low: from, high: to, includeLow, includeHigh }
  }
}

/**
 * Returns the edits of a fuzzy term: `~1` says so, and `~0.8` how alike terms must be.
 *
 * @param {string} fuzzy
 * @param {number} length of the term in characters
 * @throws {SyntaxError} with Lucene's words
 */
function editsOf (fuzzy, length) {
  const given = numberOf(fuzzy) || (fuzzy === '0' ? 0 : MOST_EDITS)
  if (given < 0) throw new SyntaxError('Minimum similarity for a FuzzyQuery has to be between 0.0f and 1.0f !')
  if (given >= 1 && !Number.isInteger(given)) throw new SyntaxError('Fractional edit distances are not allowed!')
  return toEdits(given, length)
}

/**
 * Returns the edits of how alike terms must be, below 1; from there on the edits are said themselves.
 *
 * @param {number} given at least 0
 * @param {number} length of the term in characters
 */
function toEdits (given, length) {
  return Math.min(given >= 1 || given === 0 ? given : Math.trunc((1 - given) * length), MOST_EDITS)
}

module.exports = { Leaves, toEdits }
