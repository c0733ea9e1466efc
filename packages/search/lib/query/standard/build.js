'use strict'

const { badRequest } = require('@potoroo/errors')
const { lowerCase } = require('../../analyzers/tokenizers/lower-case')
const { phraseNode, wordNode } = require('../analysis')
const { unescape } = require('../escapes')
const { toEdits } = require('../leaves')
const { sourceOf } = require('./interval-source')
const { cannotParse, shown } = require('./syntax-error')

/**
 * @typedef {import('../../..').QueryNode} QueryNode
 * @typedef {import('../../..').QueryClause} Clause
 * @typedef {import('./syntax').Syntax} Syntax
 * @typedef {(text: string) => number | undefined} ReadNumber undefined: the text begins with no number
 *
 * @typedef {object} BuildOptions
 * @property {import('../../..').Analyzer} analyze
 * @property {(field: string) => ReadNumber | undefined} numbersOf undefined: a field without numbers
 */

/** Lucene's own limit, of a whole query. */
const MOST_CLAUSES = 1024
const ALL = '*'

/** Makes the nodes of a query, as Lucene's processors of the standard syntax do, one after the other. */
class Builder {
  #query
  #analyze
  #normalize
  #numbersOf
  #weight = 0

  /** @param {string} query @param {BuildOptions} options */
  constructor (query, { analyze, numbersOf }) {
    this.#query = query
    this.#analyze = analyze
    this.#normalize = analyze.normalize ?? lowerCase
    this.#numbersOf = numbersOf
  }

  /** @param {Syntax} syntax @returns {QueryNode | null} null where analysis leaves nothing */
  build (syntax) {
    switch (syntax.kind) {
      case 'word': return this.#counted(this.#word(syntax))
      case 'quoted': return this.#counted(this.#quoted(syntax))
      case 'regexp': return this.#counted({ type: 'regexp', field: syntax.field, pattern: this.#normal(syntax.text, syntax.field) })
      case 'range': return this.#counted(this.#range(syntax))
      case 'intervals': return this.#intervals(syntax)
      case 'boost': return this.#boosted(syntax)
      case 'group': return this.#group(syntax)
      case 'modified': return this.build(syntax.part)
      default: return fromClauses(this.#clauses(syntax))
    }
  }

  /** @param {string} text @param {string} field */
  #normal (text, field) { return this.#normalize(text, field) }

  /** @param {QueryNode | null} node */
  #counted (node) {
    if (node !== null) this.#add(node.type === 'phrase' ? node.terms.length : node.type === 'boolean' ? node.clauses.length : 1)
    return node
  }

  /** @param {number} clauses */
  #add (clauses) {
    this.#weight += clauses
    if (this.#weight > MOST_CLAUSES) throw badRequest(`Too many boolean clauses, the maximum supported is ${MOST_CLAUSES}: ${shown(this.#query)}`)
  }

  /** @param {Extract<Syntax, { kind: 'intervals' }>} intervals @returns {QueryNode} */
  #intervals ({ field, source }) {
    return { type: 'intervals', field, source: sourceOf(source, text => this.#analyze(text, field), clauses => this.#add(clauses)) }
  }

  /**
   * The clauses of operators within operators are those of one list: there is no precedence, and AND asks for its neighbours.
   *
   * @param {Extract<Syntax, { kind: 'and' | 'or' | 'list' }>} syntax
   * @returns {Array<Clause & { isSigned: boolean }>}
   */
  #clauses ({ kind, parts }) {
    return parts.flatMap(part => {
      if (part.kind === 'and' || part.kind === 'or' || part.kind === 'list') return this.#clauses(part)
      const node = this.build(part)
      if (node === null) return []
      const sign = part.kind === 'modified' ? part.sign : undefined
      const occur = sign === '-' ? 'must_not' : sign === '+' || kind === 'and' ? 'must' : 'should'
      return [{ occur, node, isSigned: sign !== undefined }]
    })
  }

  /** @param {Extract<Syntax, { kind: 'word' }>} word @returns {QueryNode | null} */
  #word ({ field, text: given, edits }) {
    const text = unescape(given)
    if (field === ALL && text === ALL) return { type: 'all' }
    const pattern = hasWildcards(given) ? text.replace(/[^*?]+/g, part => this.#normal(part, field)) : undefined
    const readNumber = this.#numbersOf(field)
    if (readNumber !== undefined) return this.#number(field, pattern ?? text, readNumber)
    if (pattern !== undefined) return patternNode(field, pattern)
    if (edits === undefined) return wordNode(field, this.#analyze(text, field))
    const term = this.#normal(text, field)
    return { type: 'fuzzy', field, term, edits: toEdits(edits, [...term].length), prefixLength: 0, anySimilarity: true }
  }

  /** @param {Extract<Syntax, { kind: 'quoted' }>} quoted @returns {QueryNode | null} */
  #quoted ({ field, text: given, slop }) {
    const text = unescape(given)
    if (field === ALL && text === ALL) return { type: 'all' }
    const readNumber = this.#numbersOf(field)
    return readNumber === undefined ? phraseNode(field, this.#analyze(text, field), slop) : this.#number(field, text, readNumber)
  }

  /** @param {string} field @param {string} text @param {ReadNumber} readNumber @returns {QueryNode} */
  #number (field, text, readNumber) {
    if (text === '') throw badRequest(`Field "${field}" is numeric and cannot have an empty value.`)
    return numberRange(field, toNumber(text, readNumber), toNumber(text, readNumber), true, true)
  }

  /** @param {Extract<Syntax, { kind: 'range' }>} range @returns {QueryNode} */
  #range ({ field, low, high, includeLow, includeHigh }) {
    const [from, to] = [low, high].map(bound => bound === ALL || bound === '' ? null : unescape(bound))
    const readNumber = this.#numbersOf(field)
    if (readNumber !== undefined) return numberRange(field, from === null ? null : toNumber(from, readNumber), to === null ? null : toNumber(to, readNumber), includeLow, includeHigh)
    const [lower, upper] = [from, to].map(bound => bound === null ? null : this.#normal(bound, field) || null)
    return { type: 'range', field, low: lower, high: upper, includeLow, includeHigh }
  }

  /** @param {Extract<Syntax, { kind: 'boost' }>} boost @returns {QueryNode | null} */
  #boosted ({ part, by }) {
    const node = this.build(part)
    return node === null ? null : { ...node, boost: (node.boost ?? 1) * by }
  }

  /** @param {Extract<Syntax, { kind: 'group' }>} group @returns {QueryNode | null} */
  #group ({ part, least }) {
    const node = this.build(part)
    if (node === null || least === 0) return node
    if (node.type !== 'boolean' || node.boost !== undefined) throw badRequest('`@` must stand behind a group of several clauses, without a boost')
    return { ...node, least }
  }
}

/** @param {Array<Clause & { isSigned: boolean }>} clauses @returns {QueryNode | null} */
function fromClauses (clauses) {
  if (clauses.length === 0) return null
  if (clauses.length === 1 && !clauses[0].isSigned) return clauses[0].node
  return { type: 'boolean', clauses: clauses.map(({ occur, node }) => ({ occur, node })) }
}

/** Whether there is a `*` or `?` that no backslash takes as it is. @param {string} text */
function hasWildcards (text) { return /[*?]/.test(text.replace(/\\[^u]/g, '')) }

/** The pattern has lost its escapes: what follows a backslash that is left is taken as it is, as in Lucene. @param {string} field @param {string} pattern @returns {QueryNode} */
function patternNode (field, pattern) {
  if (/^[*?]/.test(pattern)) throw badRequest(`Leading wildcard is not allowed: ${field}:${shown(pattern)}`)
  return pattern.search(/[*?]/) === pattern.length - 1 && pattern.endsWith('*') ? { type: 'prefix', field, prefix: pattern.slice(0, -1) } : { type: 'wildcard', field, pattern }
}

/** @param {string} text @param {ReadNumber} readNumber */
function toNumber (text, readNumber) {
  const number = readNumber(text)
  if (number === undefined) throw badRequest(`Could not parse text "${shown(text)}" using java.text.DecimalFormat`)
  return number
}

/**
 * NaN is above all numbers, as in Lucene.
 *
 * @param {string} field
 * @param {number | null} low
 * @param {number | null} high
 * @param {boolean} includeLow
 * @param {boolean} includeHigh
 * @returns {QueryNode}
 */
function numberRange (field, low, high, includeLow, includeHigh) {
  if (Number.isNaN(low)) return { type: 'none' }
  const [from, to] = [low ?? -Infinity, high === null || Number.isNaN(high) ? Infinity : high]
  return { type: 'range', field, low: from, high: to, includeLow: low === null || includeLow, includeHigh: high === null || includeHigh }
}

/**
 * Makes a query of what was read of it.
 *
 * @param {string} query
 * @param {Syntax} syntax
 * @param {BuildOptions} options
 * @returns {QueryNode}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST with Lucene's words
 */
function buildStandard (query, syntax, options) {
  try {
    return new Builder(query, options).build(syntax) ?? { type: 'none' }
  } catch (error) {
    throw error instanceof SyntaxError ? cannotParse(query, '') : error
  }
}

module.exports = { buildStandard }
