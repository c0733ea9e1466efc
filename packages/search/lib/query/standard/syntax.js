'use strict'

const { unescape } = require('../escapes')
const { ARGUMENTS, NAMES, NUMBERS } = require('./interval-functions')
const { Lexer } = require('./lexer')
const { cannotParse } = require('./syntax-error')

/**
 * A query as it is written; see build.js for what it means.
 *
 * @typedef {{ kind: 'word', field: string, text: string, edits?: number }
 *   | { kind: 'quoted', field: string, text: string, slop: number }
 *   | { kind: 'regexp', field: string, text: string }
 *   | { kind: 'range', field: string, low: string, high: string, includeLow: boolean, includeHigh: boolean }
 *   | { kind: 'intervals', field: string, source: IntervalSyntax }
 *   | { kind: 'boost', part: Syntax, by: number }
 *   | { kind: 'group', part: Syntax, least: number }
 *   | { kind: 'modified', part: Syntax, sign: '+' | '-' }
 *   | { kind: 'and' | 'or' | 'list', parts: Syntax[] }} Syntax low, high: `*` is none
 * @typedef {import('./interval-functions').IntervalSyntax} IntervalSyntax
 * @typedef {import('./lexer').Lexeme} Lexeme
 */

const DEEPEST = 256
const LONGEST = 1 << 16
/** Edits of `term~`. */
const EDITS = 2

/** Lexemes that a clause begins with. */
const BEGINNINGS = new Set(['not', 'function', '+', '-', 'quoted', 'number', 'term', 'regexp', '[', '{', '('])
/** Lexemes that a source of intervals begins with. */
const SOURCES = new Set(['function', 'quoted', 'number', 'term'])
const COMPARISONS = new Set(['<', '<=', '>', '>='])

/** Reads one query, with two lexemes in sight. */
class Parser {
  #query
  #lexer
  #depth = 0
  /** @type {Lexeme} */
  #lexeme
  /** @type {Lexeme | null} */
  #second = null
  /** The fields that are asked. @type {Set<string>} */
  fields = new Set()

  /** @param {string} query */
  constructor (query) {
    this.#query = query
    this.#lexer = new Lexer(query)
    this.#lexeme = this.#read()
  }

  /** @param {string} field @returns {Syntax} */
  parse (field) {
    const syntax = this.#list(field)
    if (this.#lexeme.kind !== 'end') throw this.#unexpected()
    return syntax
  }

  /** @param {string} field @returns {Syntax} */
  #list (field) {
    const parts = [this.#or(field)]
    while (BEGINNINGS.has(this.#lexeme.kind)) parts.push(this.#or(field))
    const [first] = parts
    const isNegation = first.kind === 'modified' && first.sign === '-'
    return parts.length === 1 && !isNegation ? first : { kind: 'list', parts }
  }

  /** @param {string} field */
  #or (field) { return this.#joined('or', () => this.#and(field)) }

  /** @param {string} field */
  #and (field) { return this.#joined('and', () => this.#modified(field)) }

  /** @param {'and' | 'or'} kind @param {() => Syntax} read @returns {Syntax} */
  #joined (kind, read) {
    const parts = [read()]
    while (this.#skip(kind)) parts.push(read())
    return parts.length === 1 ? parts[0] : { kind, parts }
  }

  /** @param {string} field @returns {Syntax} */
  #modified (field) {
    if (this.#skip('+')) return { kind: 'modified', sign: '+', part: this.#clause(field) }
    if (this.#skip('-') || this.#skip('not')) return { kind: 'modified', sign: '-', part: this.#clause(field) }
    return this.#clause(field)
  }

  /** @param {string} field @returns {Syntax} */
  #clause (field) {
    if (this.#lexeme.kind === 'term') {
      const next = this.#peek().kind
      if (COMPARISONS.has(next)) return this.#comparison()
      if (next === ':' || next === '=') {
        field = this.#name(this.#take())
        this.#take()
      }
    }
    if (this.#lexeme.kind === 'function') return this.#intervals(field)
    return this.#skip('(') ? this.#group(field) : this.#boosted(this.#leaf(field))
  }

  /** @param {string} field @returns {Syntax} */
  #intervals (field) {
    this.fields.add(field)
    return { kind: 'intervals', field, source: this.#source() }
  }

  /** @returns {IntervalSyntax} */
  #source () {
    if (this.#lexeme.kind !== 'function') return { fn: 'text', text: this.#text() }
    const fn = /** @type {string} */ (NAMES.get(this.#take().text))
    this.#expect('(')
    this.#open()
    const source = Object.hasOwn(NUMBERS, fn) ? this.#pattern(/** @type {'wildcard' | 'fuzzyTerm'} */ (fn)) : this.#combined(fn)
    this.#close()
    return source
  }

  /** A word, or what is in quotes. */
  #text () {
    if (this.#lexeme.kind === 'function' || !SOURCES.has(this.#lexeme.kind)) throw this.#unexpected()
    const { kind, text } = this.#take()
    return kind === 'quoted' ? text.slice(1, -1) : text
  }

  /** @param {'wildcard' | 'fuzzyTerm'} fn @returns {IntervalSyntax} */
  #pattern (fn) {
    const text = this.#text()
    const numbers = []
    while (numbers.length < NUMBERS[fn] && this.#lexeme.kind === 'number') numbers.push(this.#integer())
    return { fn, text, numbers }
  }

  /** @param {string} fn @returns {IntervalSyntax} */
  #combined (fn) {
    const numbers = []
    const sources = []
    for (const argument of ARGUMENTS[fn]) {
      if (argument === 'number') numbers.push(this.#integer())
      else sources.push(this.#source())
      if (argument === 'sources') while (SOURCES.has(this.#lexeme.kind)) sources.push(this.#source())
    }
    return { fn, numbers, sources }
  }

  /** @param {string} field @returns {Syntax} */
  #group (field) {
    this.#open()
    const inner = this.#list(field)
    this.#close()
    const part = this.#boosted(inner)
    const least = this.#skip('@') ? this.#integer() : 0
    return { kind: 'group', part, least }
  }

  #open () { if (++this.#depth > DEEPEST) throw cannotParse(this.#query, `more than ${DEEPEST} parentheses are open`) }

  #close () {
    this.#expect(')')
    this.#depth--
  }

  /** @param {Syntax} part @returns {Syntax} */
  #boosted (part) { return this.#skip('^') ? { kind: 'boost', part, by: Number(this.#expect('number').text) } : part }

  /** @param {string} field @returns {Syntax} */
  #leaf (field) {
    this.fields.add(field)
    const { kind, text, low, high, close } = this.#take()
    switch (kind) {
      case 'regexp': return { kind, field, text: text.slice(1, -1) }
      case 'number': case 'term': return { kind: 'word', field, text, ...this.#skip('~') && { edits: this.#edits() } }
      case 'quoted': return { kind, field, text: text.slice(1, -1), slop: this.#skip('~') ? this.#integer() : 0 }
      case '[': case '{': return { kind: 'range', field, low: /** @type {string} */ (low), high: /** @type {string} */ (high), includeLow: kind === '[', includeHigh: close === ']' }
      default: throw this.#unexpected()
    }
  }

  /** `field<5`, `field>="x"` @returns {Syntax} */
  #comparison () {
    const field = this.#name(this.#take())
    this.fields.add(field)
    const { kind: operator } = this.#take()
    const { kind, text } = this.#take()
    if (kind !== 'term' && kind !== 'number' && kind !== 'quoted') throw this.#unexpected()
    const bound = kind === 'quoted' ? text.slice(1, -1) : text
    const isUpper = operator.startsWith('<')
    return { kind: 'range', field, low: isUpper ? '*' : bound, high: isUpper ? bound : '*', includeLow: operator !== '>', includeHigh: operator !== '<' }
  }

  /** @param {Lexeme} lexeme */
  #name ({ text }) {
    try {
      return unescape(text)
    } catch {
      throw this.#unexpected()
    }
  }

  /** Reads the edits behind `~`, if there is a number. */
  #edits () {
    const given = this.#lexeme.kind === 'number' ? Number(this.#take().text) : EDITS
    if (given >= 1 && !Number.isInteger(given)) throw this.#unexpected()
    return given
  }

  #integer () {
    const number = Number(this.#expect('number').text)
    if (!Number.isInteger(number) || number > 0x7fffffff) throw this.#unexpected()
    return number
  }

  /** @param {import('./lexer').Kind} kind */
  #expect (kind) {
    if (this.#lexeme.kind !== kind) throw this.#unexpected()
    return this.#take()
  }

  /** @param {import('./lexer').Kind} kind */
  #skip (kind) {
    if (this.#lexeme.kind !== kind) return false
    this.#take()
    return true
  }

  /** Goes on to the next lexeme. @returns {Lexeme} the one that was there */
  #take () {
    const lexeme = this.#lexeme
    if (lexeme.kind === 'end') throw this.#unexpected()
    this.#lexeme = this.#second ?? this.#read()
    this.#second = null
    return lexeme
  }

  #peek () {
    this.#second ??= this.#read()
    return this.#second
  }

  /** @returns {Lexeme} */
  #read () {
    const lexeme = this.#lexer.next()
    if (lexeme === null) throw cannotParse(this.#query, `Lexical error at line 1, column ${this.#lexer.at + 1}.`)
    return lexeme
  }

  #unexpected () { return cannotParse(this.#query, '') }
}

/**
 * Reads a query of the syntax of Lucene's StandardQueryParser, which Nouveau has.
 *
 * @param {string} query
 * @param {string} defaultField
 * @returns {{ syntax: Syntax, fields: Set<string> }} texts have their escapes, names of fields do not
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST
 * @see https://lucene.apache.org/core/9_12_0/queryparser/org/apache/lucene/queryparser/flexible/standard/StandardQueryParser.html
 */
function readStandard (query, defaultField) {
  if (query.length > LONGEST) throw cannotParse(query, `it is longer than ${LONGEST} characters`)
  const parser = new Parser(query)
  const syntax = parser.parse(defaultField)
  return { syntax, fields: parser.fields }
}

module.exports = { readStandard }
