'use strict'

const { badRequest } = require('@potoroo/errors')

/**
 * @typedef {import('./interval-functions').IntervalSyntax} IntervalSyntax
 * @typedef {import('../../..').IntervalSource} IntervalSource
 * @typedef {import('../../..').Token} Token
 */

/** Terms that a pattern may stand for, as Lucene, unless the query says another number. */
const EXPANSIONS = 128
/** Edits of `fn:fuzzyTerm`, unless it says another number. */
const EDITS = 2

/**
 * Makes the source of a function: its words are analyzed.
 *
 * @param {IntervalSyntax} syntax
 * @param {(text: string) => Token[]} analyze
 * @param {(leaves: number) => void} count is told how many terms and patterns there are
 * @returns {IntervalSource}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST
 */
function sourceOf (syntax, analyze, count) {
  if ('sources' in syntax) {
    const { fn, numbers, sources } = syntax
    if (fn === 'atLeast' && numbers[0] === 0) throw badRequest('fn:atLeast must ask for at least 1 source')
    return /** @type {IntervalSource} */ ({ fn, numbers, sources: sources.map(each => sourceOf(each, analyze, count)) })
  }
  if (syntax.fn === 'text') {
    const tokens = analyze(syntax.text)
    count(tokens.length)
    return wordsOf(tokens)
  }
  count(1)
  return patternOf(syntax)
}

/** No number is 0, of wildcards alone. @param {Extract<IntervalSyntax, { fn: 'wildcard' | 'fuzzyTerm' }>} syntax @returns {IntervalSource} */
function patternOf ({ fn, text, numbers: [first, second = EXPANSIONS] }) {
  return fn === 'wildcard' ? { fn, text, most: first || EXPANSIONS } : { fn, text, edits: first ?? EDITS, most: second }
}

/** The words of a text are a phrase: those of one position are alternatives, and what was left out before one makes it longer. @param {Token[]} tokens @returns {IntervalSource} */
function wordsOf (tokens) {
  if (tokens.length === 0) return { fn: 'none' }
  if (tokens.length === 1) return { fn: 'term', text: tokens[0].term }
  /** @type {Map<number, string[]>} */
  const words = new Map()
  for (const { term, position } of tokens) words.set(position, [...words.get(position) ?? [], term])
  let last = -1
  const sources = [...words].map(([position, terms]) => {
    const left = position - last - 1
    last = position
    /** @type {IntervalSource[]} */
    const alternatives = terms.map(text => ({ fn: 'term', text }))
    return longer(alternatives.length === 1 ? alternatives[0] : { fn: 'or', numbers: [], sources: alternatives }, left)
  })
  return { fn: 'phrase', numbers: [], sources }
}

/** @param {IntervalSource} source @param {number} before @returns {IntervalSource} */
function longer (source, before) { return before === 0 ? source : { fn: 'extend', numbers: [before, 0], sources: [source] } }

module.exports = { sourceOf }
