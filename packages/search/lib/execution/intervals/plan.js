'use strict'

const { badRequest } = require('@potoroo/errors')
const { readTerms, termsOf } = require('../multi-term')
const { DIFFERENCES, leafOf } = require('./leaves')
const { Steps } = require('./steps')

/**
 * @typedef {import('../evaluate').Search} Search
 * @typedef {import('../evaluate').Node} Node
 * @typedef {import('./steps').Step} Step
 * @typedef {import('../../..').IntervalSource} IntervalSource
 * @typedef {Extract<IntervalSource, { sources: IntervalSource[] }>} Combined
 * @typedef {import('../../postings/records').Term} Term
 * @typedef {{ steps: Step[], extent: number, terms: Map<string, Term>, candidates: Node }} Plan steps: the last one is the query's; candidates: a query of
 *   all documents that may have intervals
 */

/** Terms of all functions. */
const MOST_TERMS = 2048
/** The highest number that a query may say, as Lucene. */
const MOST_EXPANSIONS = 1024
/** Edits of `fn:fuzzyTerm`, as Lucene. */
const MOST_EDITS = 2

/** Works out what the functions of a query ask of each document. */
class Planner {
  #search
  #field
  #steps = new Steps()
  /** Terms that documents have. @type {Map<string, Term>} */
  terms = new Map()

  /** @param {Search} search @param {string} field */
  constructor (search, field) {
    this.#search = search
    this.#field = field
  }

  /** @param {IntervalSource} source @returns {Promise<{ step: Step, node: Node }>} node: of the documents that may have intervals */
  async plan (source) {
    switch (source.fn) {
      case 'none': return { step: this.#steps.none, node: NOTHING }
      case 'term': return this.#term(source.text)
      case 'wildcard': return this.#pattern(source, source.text)
      case 'fuzzyTerm': return this.#pattern(source, `${source.text}~${source.edits}`)
      default: return this.#combined(source)
    }
  }

  /** @param {string} term */
  async #term (term) {
    this.#note(term, await this.#search.reader.term(this.#field, term))
    return { step: this.#steps.term(term), node: this.#nodeOf(term) }
  }

  /** @param {string} term @param {Term} record */
  #note (term, record) {
    if (record.df > 0) this.terms.set(term, record)
    if (this.terms.size > MOST_TERMS) throw badRequest(`The query is too costly: its interval functions have more than ${MOST_TERMS} terms.`)
  }

  /** @param {string} term @returns {Node} */
  #nodeOf (term) { return { type: 'term', field: this.#field, term } }

  /** @param {Extract<IntervalSource, { fn: 'wildcard' | 'fuzzyTerm' }>} source @param {string} shown */
  async #pattern (source, shown) {
    const { most } = source
    if (most > MOST_EXPANSIONS) throw badRequest(`maxExpansions [${most}] cannot be greater than BooleanQuery.getMaxClauseCount [${MOST_EXPANSIONS}]`)
    if (source.fn === 'fuzzyTerm' && source.edits > MOST_EDITS) throw badRequest(`max edits must be 0..${MOST_EDITS}, inclusive; got: ${source.edits}`)
    const found = await termsOf(this.#search, this.#field, this.#search.matcherOf(leafOf(source, this.#field)))
    /** @type {string[]} */
    const terms = []
    for await (const { found: { term }, term: record } of readTerms(this.#search, this.#field, found)) {
      this.#note(term, record)
      // Terms that no document has any longer may still be listed.
      if (record.df > 0) terms.push(term)
      if (terms.length > most) throw badRequest(`Automaton [${shown}] expanded to too many terms (limit ${most})`)
    }
    return { step: this.#steps.terms(`${source.fn} ${most} ${shown}`, terms), node: any(terms.map(term => this.#nodeOf(term))) }
  }

  /** @param {Combined} source @returns {Promise<{ step: Step, node: Node }>} */
  async #combined ({ fn, numbers, sources }) {
    /** @type {Array<{ step: Step, node: Node }>} */
    const parts = []
    for (const source of sources) parts.push(await this.plan(source))
    return { step: await this.#stepOf(fn, numbers, parts.map(({ step }) => step)), node: nodeOf(fn, numbers, parts.map(({ node }) => node)) }
  }

  /** @param {string} fn @param {number[]} numbers @param {Step[]} all @returns {Step | Promise<Step>} */
  #stepOf (fn, numbers, all) {
    const make = this.#steps
    const [a, b] = all
    switch (fn) {
      case 'or': return make.or(all)
      case 'phrase': return make.phrase(all)
      case 'ordered': return make.ordered(all)
      case 'unordered': return make.unordered(all)
      case 'unorderedNoOverlaps': return make.or([make.ordered([a, b]), make.ordered([b, a])])
      case 'atLeast': return make.atLeast(numbers[0], all)
      case 'maxgaps': return make.maxgaps(numbers[0], a)
      case 'maxwidth': return make.maxwidth(numbers[0], a)
      case 'extend': return make.extend(a, numbers[0], numbers[1])
      case 'within': return make.related('containedBy', a, make.extend(b, numbers[0], numbers[0]))
      case 'notWithin': return make.related('nonOverlapping', a, make.extend(b, numbers[0], numbers[0]))
      case 'before': return make.related('containedBy', a, make.extend(make.beside('preceding', b), 0x7fffffff, 0))
      case 'after': return make.related('containedBy', a, make.extend(make.beside('following', b), 0, 0x7fffffff))
      default: return make.related(fn, a, b)
    }
  }
}

/** @type {Node} */
const NOTHING = { type: 'none' }

/** @param {Node[]} nodes @param {number} [least] @returns {Node} */
function any (nodes, least) { return nodes.length === 1 && least === undefined ? nodes[0] : { type: 'boolean', clauses: nodes.map(node => ({ occur: 'should', node })), least } }

/** @param {string} fn @param {number[]} numbers @param {Node[]} nodes @returns {Node} */
function nodeOf (fn, numbers, nodes) {
  if (nodes.length === 1 || DIFFERENCES.has(fn)) return fn === 'atLeast' && numbers[0] > 1 ? NOTHING : nodes[0]
  if (fn === 'or') return any(nodes)
  if (fn === 'atLeast') return numbers[0] > nodes.length ? NOTHING : any(nodes, numbers[0])
  return { type: 'boolean', clauses: nodes.map(node => ({ occur: 'must', node })) }
}

/** The steps that one needs, those before it first. @param {Step} last */
function stepsOf (last) {
  const needed = new Set([last])
  for (const { parts } of needed) for (const part of parts) needed.add(part)
  return [...needed].sort((a, b) => a.id - b.id)
}

/** @param {Search} search @param {string} field @param {IntervalSource} source @returns {Promise<Plan>} */
async function planOf (search, field, source) {
  const planner = new Planner(search, field)
  const { step, node } = await planner.plan(source)
  await search.work.spend(0)
  const steps = stepsOf(step)
  await search.work.spend(0)
  return { steps, extent: step.extent, terms: planner.terms, candidates: node }
}

module.exports = { planOf }
