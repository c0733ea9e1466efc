'use strict'

const { leavesOf } = require('./intervals/leaves')

/**
 * @typedef {import('../index/document-builder').Token} Token
 * @typedef {{ preTag: string, postTag: string, number: number, size: number }} HighlightOptions number of fragments, and UTF-16
 *   units of each, about
 */

/** Patterns whose terms are told: each is asked for each term of a text. */
const MOST_PATTERNS = 50

/** Nodes whose terms a matcher tells. */
const PATTERNS = new Set(['prefix', 'wildcard', 'regexp', 'fuzzy'])

/**
 * Tells which terms of a field a query looks for.
 *
 * @param {import('./evaluate').Node} node
 * @param {string} field
 * @param {(node: any) => import('./multi-term').Matcher} matcherOf
 * @returns {(term: string) => boolean}
 */
function wantedTerms (node, field, matcherOf) {
  const terms = new Set()
  /** @type {Array<import('./multi-term').Matcher>} */
  const matchers = []
  const collect = (/** @type {any} */ each) => {
    if (each.type === 'boolean') {
      for (const clause of each.clauses) if (clause.occur !== 'must_not' && clause.occur !== 'filter') collect(clause.node)
    } else if (each.field !== field) return
    if (each.type === 'term') terms.add(each.term)
    else if (each.type === 'phrase') for (const { term } of each.terms) terms.add(term)
    else if (each.type === 'intervals') leavesOf(each.source, field).forEach(collect)
    else if (PATTERNS.has(each.type) && matchers.length < MOST_PATTERNS) matchers.push(matcherOf(each))
  }
  collect(node)
  return term => terms.has(term) || matchers.some(matcher => term.startsWith(matcher.prefix) && matcher.accepts(term))
}

/**
 * The fragments of a text that have the most of a query's terms, which stand between tags.
 *
 * @param {string} text
 * @param {Token[]} tokens of it
 * @param {(term: string) => boolean} isWanted
 * @param {HighlightOptions} options
 * @returns {string[]}
 */
function highlight (text, tokens, isWanted, { preTag, postTag, number, size }) {
  /** @type {Array<{ start: number, end: number, found: Token[] }>} */
  const fragments = [{ start: 0, end: text.length, found: [] }]
  for (const token of [...tokens].sort((a, b) => a.start - b.start)) {
    let last = fragments[fragments.length - 1]
    if (token.end - last.start > size && token.start > last.start) {
      last.end = token.start
      fragments.push(last = { start: token.start, end: text.length, found: [] })
    }
    const before = last.found.at(-1)
    if (isWanted(token.term) && (before === undefined || before.end <= token.start)) last.found.push(token)
  }
  return fragments.filter(({ found }) => found.length > 0)
    .sort((a, b) => b.found.length - a.found.length)
    .slice(0, number)
    .map(fragment => marked(text, fragment, preTag, postTag))
}

/** @param {string} text @param {{ start: number, end: number, found: Token[] }} fragment @param {string} preTag @param {string} postTag */
function marked (text, { start, end, found }, preTag, postTag) {
  let out = ''
  let at = start
  for (const token of found) {
    out += text.slice(at, token.start) + preTag + text.slice(token.start, token.end) + postTag
    at = token.end
  }
  return (out + text.slice(at, end)).trimEnd()
}

module.exports = { highlight, wantedTerms }
