'use strict'

const { badRequest } = require('@potoroo/errors')
const { Expressions, MOST_EXPRESSIONS, TooComplexError, onlyFirst } = require('./expressions')
const { fuzzyAutomaton } = require('./fuzzy')
const { parseRegExp } = require('./regexp')
const { Walker } = require('./walker')

/** @typedef {import('../..').TermMatcher} TermMatcher */
/** @typedef {import('../..').QueryNode} QueryNode */
/** @typedef {import('./expressions').Expression} Expression */

/** Longer patterns are refused. */
const LONGEST = 1000

/** @param {string} pattern @param {Expressions} make @returns {Expression} */
function parseWildcard (pattern, make) {
  const parts = Array.from(pattern.matchAll(/\\([^])|\*|\?|[^\\*?]+|\\$/gu), ([text, escaped]) => {
    if (text === '*') return make.anyString
    return text === '?' ? make.anyCharacter : make.literal(escaped ?? text)
  })
  return parts.reduceRight((rest, first) => make.sequence(first, rest), make.empty)
}

/** Characters with which every accepted term begins. @param {Expressions} make @param {Expression} start */
function commonPrefix (make, start) {
  let prefix = ''
  for (let point = onlyFirst(start); point !== null && prefix.length < LONGEST; point = onlyFirst(start)) {
    prefix += String.fromCodePoint(point)
    start = make.step(start, point)
  }
  return prefix
}

/** A pattern of characters as a matcher: its derivatives are the states. */
class PatternMatcher {
  #parse
  #make = new Expressions()
  #walker

  /** @param {(make: Expressions) => Expression} parse */
  constructor (parse) {
    this.#parse = parse
    const start = parse(this.#make)
    this.prefix = commonPrefix(this.#make, start)
    this.#walker = this.#newWalker(start)
  }

  #cost = 0

  /** Tells how much work there was since the last time: steps of the automaton that were made. */
  takeCost () {
    const cost = this.#cost + this.#make.rest()
    this.#cost = 0
    return cost
  }

  /** @param {string} term */
  accepts (term) { return this.#bounded(() => this.#walker.accepts(term)) }

  /** @param {string} term */
  next (term) { return this.#bounded(() => this.#walker.next(term)) }

  /** @param {Expression} start */
  #newWalker (start) {
    return new Walker({
      start,
      step: (/** @type {Expression} */ state, point) => {
        const next = this.#make.step(state, point)
        return next === this.#make.nothing ? null : next
      },
      isAccepting: (/** @type {Expression} */ state) => state.isNullable
    })
  }

  /** States that terms before have made are given up when they are many. @template Result @param {() => Result} action */
  #bounded (action) {
    if (this.#make.size > MOST_EXPRESSIONS / 2) {
      this.#cost += this.#make.rest()
      this.#make = new Expressions()
      this.#walker = this.#newWalker(this.#parse(this.#make))
    }
    this.#cost += this.#make.rest()
    return guarded(action)
  }
}

/** @template Result @param {() => Result} action @returns {Result} */
function guarded (action) {
  try {
    return action()
  } catch (error) {
    if (error instanceof TooComplexError) throw badRequest(`The pattern is too complex. ${error.message} are needed.`)
    throw error instanceof SyntaxError ? badRequest(`Cannot parse the regular expression: ${error.message}`) : error
  }
}

/** @param {string} pattern @param {(pattern: string, make: Expressions) => Expression} parse */
function patternMatcher (pattern, parse) {
  if (pattern.length > LONGEST) throw badRequest(`A pattern has ${LONGEST} characters at most`)
  return guarded(() => new PatternMatcher(make => parse(pattern, make)))
}

/** @param {QueryNode & { type: 'fuzzy' }} node @returns {TermMatcher} */
function fuzzyMatcher ({ term, edits, prefixLength, anySimilarity = false }) {
  if (term.length > LONGEST) throw badRequest(`A fuzzy term has ${LONGEST} characters at most`)
  const characters = [...term]
  const prefix = characters.slice(0, edits === 0 ? characters.length : prefixLength).join('')
  const automaton = fuzzyAutomaton(term, edits)
  const walker = new Walker(automaton)
  /** @param {string} candidate */
  const similarity = candidate => {
    const state = walker.run(candidate)
    if (state === null) return 0
    const distance = automaton.distance(state)
    return distance === 0 ? 1 : Math.max(0, 1 - distance / Math.min(characters.length, [...candidate].length))
  }
  return {
    prefix,
    // Lucene 4 leaves out terms of which no character need be the same; later ones do not.
    accepts: candidate => candidate.startsWith(prefix) && walker.accepts(candidate) && (anySimilarity || similarity(candidate) > 0),
    next: candidate => walker.next(candidate),
    similarity
  }
}

/**
 * Makes what tells which terms a node of a query stands for. Time and memory are bounded for each term.
 *
 * @param {QueryNode} node of the type prefix, wildcard, fuzzy or regexp
 * @returns {TermMatcher}
 * @throws {import('@potoroo/errors').CouchError} BAD_REQUEST for a pattern that is wrong, too long or too complex; also while it
 *   is used
 */
function termMatcher (node) {
  switch (node.type) {
    case 'prefix': return { prefix: node.prefix, accepts: term => term.startsWith(node.prefix) }
    case 'wildcard': return patternMatcher(node.pattern, parseWildcard)
    case 'regexp': return patternMatcher(node.pattern, parseRegExp)
    case 'fuzzy': return fuzzyMatcher(node)
    default: throw new TypeError(`No terms of ${node.type}`)
  }
}

module.exports = { termMatcher }
