'use strict'

const { regexpEnd } = require('../regexp-end')
const { FUNCTION } = require('./interval-functions')

/**
 * @typedef {'and' | 'or' | 'not' | 'function' | '+' | '-' | '(' | ')' | ':' | '=' | '<' | '<=' | '>' | '>=' | '^' | '~' | '@' | '[' | '{' |
 *   'quoted' | 'number' | 'term' | 'regexp' | 'broken' | 'end'} Kind
 * @typedef {{ kind: Kind, text: string, low?: string, high?: string, close?: string }} Lexeme `text` as it stands in the query, of a function its name alone;
 *   the bounds of a range without quotes
 */

const SPACE = /[ \t\n\r\u3000]*/y
const WORD = /(?:[^ \t\n\r\u3000+\-!():^@<>=[\]"{}~\\/]|\\[^])(?:[^ \t\n\r\u3000!():^@<>=[\]"{}~\\/]|\\[^])*/y
const NUMBER = /^[0-9]+(?:\.[0-9]+)?$/
const QUOTED = /"(?:[^"\\]|\\[^])*"/y
/** Within a range. */
const SPACES = / */y
const QUOTED_BOUND = /"(?:[^"\\]|\\[^])+"/y
const BOUND = /[^ \]}]+/y

/** @type {Record<string, Kind>} */
const WORDS = { AND: 'and', '&&': 'and', OR: 'or', '||': 'or', NOT: 'not' }
const SIGNS = new Set(['+', '-', '(', ')', ':', '=', '<', '>', '^', '~', '@'])

/** @param {string} bound */
function withoutQuotes (bound) { return bound.length > 2 && bound.startsWith('"') && bound.endsWith('"') ? bound.slice(1, -1) : bound }

/** Splits a query of Lucene's standard syntax into lexemes, one for each call of `next`. */
class Lexer {
  #query
  #at = 0

  /** @param {string} query */
  constructor (query) { this.#query = query }

  /** The place where the next lexeme begins. */
  get at () { return this.#at }

  /** @returns {Lexeme | null} null: the query has none there */
  next () {
    this.#match(SPACE)
    if (this.#at >= this.#query.length) return { kind: 'end', text: '' }
    const first = this.#query[this.#at]
    if (first === '!') return this.#take('not', 1)
    if (SIGNS.has(first)) return this.#sign(first)
    if (first === '"') return this.#matched('quoted', QUOTED)
    if (first === '/') return this.#regexp()
    if (first === '[' || first === '{') return this.#range(first)
    return this.#word()
  }

  /** @param {string} first @returns {Lexeme} */
  #sign (first) {
    const isWide = (first === '<' || first === '>') && this.#query[this.#at + 1] === '='
    return this.#take(/** @type {Kind} */ (isWide ? `${first}=` : first), isWide ? 2 : 1)
  }

  /** @returns {Lexeme | null} */
  #regexp () {
    const end = regexpEnd(this.#query, this.#at)
    return end === -1 ? null : this.#take('regexp', end - this.#at)
  }

  /** @returns {Lexeme | null} */
  #word () {
    const text = this.#match(WORD)
    if (text === null) return null
    if (text === 'fn' && this.#query[this.#at] === ':') return this.#function()
    if (Object.hasOwn(WORDS, text)) return { kind: WORDS[text], text }
    return { kind: NUMBER.test(text) ? 'number' : 'term', text }
  }

  /** @param {'[' | '{'} open @returns {Lexeme | null} */
  #range (open) {
    const from = this.#at++
    const low = this.#bound()
    const between = this.#bound()
    const high = this.#bound()
    this.#match(SPACES)
    const close = this.#query[this.#at]
    if (low === null || between !== 'TO' || high === null || (close !== ']' && close !== '}')) return { kind: 'broken', text: open }
    this.#at++
    return { kind: open, text: this.#query.slice(from, this.#at), low: withoutQuotes(low), high: withoutQuotes(high), close }
  }

  /** The name behind `fn:`, as the text. @returns {Lexeme | null} */
  #function () {
    this.#at++
    this.#match(SPACE)
    return this.#matched('function', FUNCTION)
  }

  /** A bound in quotes may have spaces, unless there is a longer one without. */
  #bound () {
    this.#match(SPACES)
    const from = this.#at
    const plain = this.#match(BOUND)
    this.#at = from
    const quoted = this.#match(QUOTED_BOUND)
    if (quoted !== null && quoted.length >= (plain?.length ?? 0)) return quoted
    this.#at = from + (plain?.length ?? 0)
    return plain
  }

  /** @param {Kind} kind @param {number} length @returns {Lexeme} */
  #take (kind, length) {
    const text = this.#query.slice(this.#at, this.#at + length)
    this.#at += length
    return { kind, text }
  }

  /** @param {Kind} kind @param {RegExp} pattern @returns {Lexeme | null} */
  #matched (kind, pattern) {
    const text = this.#match(pattern)
    return text === null ? null : { kind, text }
  }

  /** @param {RegExp} pattern sticky @returns {string | null} */
  #match (pattern) {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#query)
    if (match === null) return null
    this.#at += match[0].length
    return match[0]
  }
}

module.exports = { Lexer }
