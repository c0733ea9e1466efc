'use strict'

const { addClause, fromClauses } = require('./clauses')
const { unescape } = require('./escapes')
const { Leaves } = require('./leaves')
const { Lexer } = require('./lexer')
const { cannotParse } = require('./syntax-error')

/** @typedef {import('../..').QueryNode} QueryNode */
/** @typedef {import('../..').ParseOptions} ParseOptions */
/** @typedef {import('./clauses').Clause} Clause */
/** @typedef {import('./lexer').Lexeme} Lexeme */

/** Lucene's own limit. */
const MOST_CLAUSES = 1024
const DEEPEST = 256
const LONGEST = 1 << 16

/**
 * A group in parentheses, or the whole query, and what was read of its next clause.
 *
 * @typedef {{ field: string, clauses: Clause[], count: number, conjunction: 'and' | 'or' | null, modifier: '+' | '-' | null }} Group
 */

/** @param {string} field @returns {Group} */
function openGroup (field) {
  return { field, clauses: [], count: 0, conjunction: null, modifier: null }
}

/** @param {QueryNode} node */
function weightOf (node) {
  if (node.type === 'phrase') return node.terms.length
  return node.type === 'boolean' ? node.clauses.length : 1
}

/** Reads one query. It keeps the open groups in a list of its own, so that no nesting exhausts the stack. */
class Parser {
  #query
  #lexer
  #leaves
  #isAnd
  #allowLeadingWildcard
  #weight = 0
  /** @type {Lexeme} */
  #lexeme
  /** @type {Group[]} */
  #groups

  /** @param {string} query @param {ParseOptions} options */
  constructor (query, options) {
    this.#query = query
    this.#lexer = new Lexer(query)
    this.#leaves = new Leaves(options)
    this.#isAnd = options.defaultOperator === 'AND'
    this.#allowLeadingWildcard = options.allowLeadingWildcard ?? true
    this.#groups = [openGroup(options.defaultField)]
    this.#lexeme = this.#read()
  }

  /** @returns {QueryNode} */
  parse () {
    while (this.#lexeme.kind !== 'end' || this.#isInClause()) this.#step()
    if (this.#groups.length > 1) throw this.#unexpected()
    return fromClauses(this.#groups[0].clauses) ?? { type: 'none' }
  }

  get #group () { return this.#groups[this.#groups.length - 1] }

  /** Whether a clause must follow: at the beginning, and behind an operator or a sign. */
  #isInClause () {
    const { count, conjunction, modifier } = this.#group
    return count === 0 || conjunction !== null || modifier !== null
  }

  #step () {
    if (this.#lexeme.kind === ')' && this.#groups.length > 1 && !this.#isInClause()) return this.#close()
    const group = this.#group
    if (group.count > 0) group.conjunction = this.#conjunction()
    group.modifier = this.#modifier()
    this.#clause(group)
  }

  #conjunction () {
    const { kind } = this.#lexeme
    if (kind !== 'and' && kind !== 'or') return null
    this.#advance()
    return kind
  }

  #modifier () {
    const { kind } = this.#lexeme
    if (kind !== 'plus' && kind !== 'minus' && kind !== 'not') return null
    this.#advance()
    return kind === 'plus' ? '+' : '-'
  }

  /** @param {Group} group */
  #clause (group) {
    let { field } = group
    let first = this.#advance()
    if ((first.kind === 'term' || first.kind === '*') && this.#lexeme.kind === ':') {
      field = this.#guard(() => unescape(first.text))
      this.#advance()
      first = this.#advance()
    }
    if (first.kind === '(') this.#open(field)
    else this.#add(this.#leaf(first, field))
  }

  /** @param {string} field */
  #open (field) {
    if (this.#groups.length > DEEPEST) throw cannotParse(this.#query, `more than ${DEEPEST} parentheses are open`)
    this.#groups.push(openGroup(field))
  }

  #close () {
    const { clauses } = /** @type {Group} */ (this.#groups.pop())
    this.#advance()
    const node = fromClauses(clauses)
    this.#add(this.#boosted(node, this.#lexeme.kind === '^' ? this.#advance().text : undefined))
  }

  /** @param {QueryNode | null} node */
  #add (node) {
    const group = this.#group
    addClause(group.clauses, node, { conjunction: group.conjunction, modifier: group.modifier, isAnd: this.#isAnd })
    group.count++
    group.conjunction = null
    group.modifier = null
  }

  /** @param {Lexeme} lexeme @param {string} field @returns {QueryNode | null} */
  #leaf (lexeme, field) {
    if (!/^(?:term|\*|prefix|wildcard|regexp|range|quoted|bare)$/.test(lexeme.kind)) throw this.#unexpected(lexeme)
    const { boost, fuzzy } = this.#suffixes(lexeme)
    const node = lexeme.kind === '*' ? this.#star(field) : this.#guard(() => this.#leaves.make(lexeme, field, fuzzy))
    if (lexeme.kind === 'wildcard' && /^[*?]/.test(lexeme.text)) this.#checkLeading()
    this.#count(node)
    return this.#boosted(node, boost)
  }

  /** @param {string} field @returns {QueryNode} all documents, or those that have the field */
  #star (field) { return field === '*' ? { type: 'all' } : { type: 'wildcard', field, pattern: '*' } }

  #checkLeading () {
    if (!this.#allowLeadingWildcard) throw cannotParse(this.#query, "'*' or '?' not allowed as first character in WildcardQuery")
  }

  /** A boost and what is fuzzy, in either order; a range has no fuzziness. @param {Lexeme} lexeme */
  #suffixes ({ kind }) {
    let boost = this.#suffix('^')
    const fuzzy = kind === 'range' ? undefined : this.#suffix('~')
    boost ??= this.#suffix('^')
    return { boost, fuzzy: fuzzy?.slice(1) }
  }

  /** @param {import('./lexer').Kind} kind @returns {string | undefined} */
  #suffix (kind) { return this.#lexeme.kind === kind ? this.#advance().text : undefined }

  /** @param {QueryNode | null} node */
  #count (node) {
    if (node !== null) this.#weight += weightOf(node)
    if (this.#weight > MOST_CLAUSES) throw cannotParse(this.#query, `too many boolean clauses: maxClauseCount is set to ${MOST_CLAUSES}`)
  }

  /** @param {QueryNode | null} node @param {string | undefined} boost @returns {QueryNode | null} */
  #boosted (node, boost) {
    return node === null || boost === undefined ? node : { ...node, boost: (node.boost ?? 1) * Number(boost.slice(1)) }
  }

  /** Goes on to the next lexeme. @returns {Lexeme} the one that was there */
  #advance () {
    const lexeme = this.#lexeme
    if (lexeme.kind === 'end') throw this.#unexpected()
    this.#lexeme = this.#read()
    return lexeme
  }

  /** @returns {Lexeme} */
  #read () {
    const lexeme = this.#lexer.next()
    if (lexeme !== null) return lexeme
    throw cannotParse(this.#query, `Lexical error at column ${this.#lexer.at + 1}.`)
  }

  #unexpected ({ kind, text, at } = this.#lexeme) {
    return cannotParse(this.#query, `Encountered "${kind === 'end' ? '<EOF>' : text.slice(0, 100)}" at column ${at + 1}.`)
  }

  /** @template Result @param {() => Result} action @returns {Result} */
  #guard (action) {
    try {
      return action()
    } catch (error) {
      throw error instanceof SyntaxError ? cannotParse(this.#query, error.message) : error
    }
  }
}

/**
 * Parses a query of Lucene's classic syntax.
 *
 * @param {string} query at most 2 ** 16 UTF-16 units, 1024 clauses and 256 open parentheses
 * @param {ParseOptions} options
 * @returns {QueryNode}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST
 * @see https://lucene.apache.org/core/9_12_0/queryparser/org/apache/lucene/queryparser/classic/package-summary.html
 */
function parseQuery (query, options) {
  if (query.length > LONGEST) throw cannotParse(query, `it is longer than ${LONGEST} characters`)
  return new Parser(query, options).parse()
}

module.exports = { parseQuery }
