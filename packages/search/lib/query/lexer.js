'use strict'

const { regexpEnd } = require('./regexp-end')

/**
 * @typedef {'and' | 'or' | 'not' | 'plus' | 'minus' | 'bare' | '(' | ')' | ':' | '^' | '*' | 'quoted' | 'term' | 'prefix' |
 *   'wildcard' | 'regexp' | 'range' | '~' | 'end'} Kind
 * @typedef {{ kind: Kind, text: string, at: number, range?: Range }} Lexeme `text` as it stands in the query
 * @typedef {{ low: string, high: string, includeLow: boolean, includeHigh: boolean, isLowQuoted: boolean, isHighQuoted: boolean }} Range
 */

const SPACE = /[ \t\n\r\u3000]*/y
/** A word, perhaps with wildcards. Signs may stand within it and not at its beginning. */
const WORD = /(?:[^ \t\n\r\u3000+\-!():^[\]"{}~\\/]|\\[^])(?:[^ \t\n\r\u3000!():^[\]"{}~\\/]|\\[^])*/y
const QUOTED = /"(?:[^"\\]|\\[^])*"/y
const FUZZY = /~(?:[^ \t\n\r\u3000!():^[\]"{}~\\/*?]|\\[^])*/y
const BOOST = /\^[0-9]+(?:\.[0-9]+)?/y
/** A bound ends at a space or bracket, and may be quoted. It has no place for what may follow: one way leads through a range. */
const BOUND = '("(?:[^"\\\\]|\\\\[^])+"|[^ \\t\\n\\r\\u3000\\]}"][^ \\t\\n\\r\\u3000\\]}]*)'
const RANGE = new RegExp(`([[{])[ \\t\\n\\r\\u3000]*${BOUND}[ \\t\\n\\r\\u3000]+TO[ \\t\\n\\r\\u3000]+${BOUND}[ \\t\\n\\r\\u3000]*([\\]}])`, 'y')

/** @type {Record<string, Kind>} */
const operators = { AND: 'and', '&&': 'and', OR: 'or', '||': 'or', NOT: 'not' }

/** @type {Record<string, Kind>} */
const signs = { '+': 'plus', '-': 'minus', '!': 'not' }

/** @param {string} word as it stands, escapes and all @returns {Kind} */
function kindOfWord (word) {
  if (word === '*') return '*'
  const first = word.replace(/\\[^]/g, '  ').search(/[*?]/)
  if (first === -1) return Object.hasOwn(operators, word) ? operators[word] : 'term'
  return first === word.length - 1 && word.endsWith('*') ? 'prefix' : 'wildcard'
}

/** @param {string} bound */
function isQuoted (bound) { return bound.length > 1 && bound.startsWith('"') && bound.endsWith('"') }

/** @param {string} bound */
function unquoted (bound) { return isQuoted(bound) ? bound.slice(1, -1) : bound }

/** Splits a query into lexemes, one for each call of `next`. */
class Lexer {
  #query
  #at = 0

  /** @param {string} query */
  constructor (query) {
    this.#query = query
  }

  /** Returns the next lexeme, and null where the query has none. @returns {Lexeme | null} */
  next () {
    this.#match(SPACE)
    const at = this.#at
    if (at >= this.#query.length) return { kind: 'end', text: '', at }
    const found = this.#read(this.#query[at])
    return found === null ? null : { ...found, at }
  }

  /** The place where the next lexeme begins. */
  get at () { return this.#at }

  /** @param {string} first @returns {{ kind: Kind, text: string, range?: Range } | null} */
  #read (first) {
    if (first === '(' || first === ')' || first === ':') return this.#take(first, 1)
    if (Object.hasOwn(signs, first)) return this.#sign(first)
    if (first === '"') return this.#matched('quoted', QUOTED)
    if (first === '~') return this.#matched('~', FUZZY)
    if (first === '^') return this.#matched('^', BOOST)
    if (first === '/') return this.#regexp()
    if (first === '[' || first === '{') return this.#range()
    const word = this.#match(WORD)
    return word === null ? null : { kind: kindOfWord(word[0]), text: word[0] }
  }

  /** A sign before a space is a word of its own. @param {string} sign @returns {{ kind: Kind, text: string }} */
  #sign (sign) {
    const next = this.#query[this.#at + 1]
    return next !== undefined && ' \t\n\r\u3000'.includes(next) ? this.#take('bare', 2) : this.#take(signs[sign], 1)
  }

  /** @returns {{ kind: Kind, text: string } | null} */
  #regexp () {
    const end = regexpEnd(this.#query, this.#at)
    return end === -1 ? null : this.#take('regexp', end - this.#at)
  }

  /** @returns {{ kind: Kind, text: string, range?: Range } | null} */
  #range () {
    const match = this.#match(RANGE)
    if (match === null) return null
    const [text, open, low, high, close] = match
    const range = {
      low: unquoted(low),
      high: unquoted(high),
      includeLow: open === '[',
      includeHigh: close === ']',
      isLowQuoted: isQuoted(low),
      isHighQuoted: isQuoted(high)
    }
    return { kind: 'range', text, range }
  }

  /** @param {Kind} kind @param {number} length */
  #take (kind, length) {
    const text = this.#query.slice(this.#at, this.#at + length)
    this.#at += length
    return { kind, text }
  }

  /** @param {Kind} kind @param {RegExp} pattern */
  #matched (kind, pattern) {
    const match = this.#match(pattern)
    return match === null ? null : { kind, text: match[0] }
  }

  /** @param {RegExp} pattern sticky */
  #match (pattern) {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#query)
    if (match !== null) this.#at += match[0].length
    return match
  }
}

module.exports = { Lexer }
