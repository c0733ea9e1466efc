'use strict'

const { bestMatches } = require('./best-matches')
const { idf, scorer } = require('./bm25')
const { conjunction } = require('./conjunction')
const { intervalMatches } = require('./intervals/interval-matches')
const { Matches, Several, boostBy, intersect, subtract, unite, withScore } = require('./matches')
const { constantMatches, scoredMatches, termsOf } = require('./multi-term')
const { phraseMatches } = require('./phrase')
const { numberMatches, rangeMatches } = require('./ranges')
const { termMatches } = require('./terms')
const { ENTRY } = require('./work')
const { badRequest } = require('@potoroo/errors')

/**
 * A query: see ../query/parse.js for the nodes.
 *
 * @typedef {import('./terms').Search & { matcherOf: (node: any) => import('./multi-term').Matcher, all?: Matches }} Search all documents, once they are asked for
 * @typedef {{ type: string, boost?: number, [name: string]: any }} Node
 * @typedef {{ occur: 'must' | 'should' | 'must_not' | 'filter', node: Node }} Clause filter: as `must`, and it scores nothing
 */

/** Clauses of a query, as Lucene. */
const MOST_CLAUSES = 1024

/**
 * Finds the documents of a query.
 *
 * @param {Search} search
 * @param {Node} node
 * @param {number} [boost] of the nodes around it
 * @param {Matches} [wanted] documents besides these may be left out
 * @returns {Promise<Matches>}
 */
async function evaluate (search, node, boost = 1, wanted) {
  const evaluator = evaluators[node.type]
  return evaluator(search, node, boost * (node.boost ?? 1), wanted)
}

/**
 * Finds the best documents of a query, where that costs less than to find all.
 *
 * @param {Search} search
 * @param {Node} node
 * @param {import('./best-matches').Wanted} wanted
 * @returns {Promise<{ matches: Matches, total: number } | undefined>} matches: the best, all of the last score that is wanted unless the first of it are, and perhaps
 *   others; total: of all documents; undefined: it does not cost less
 */
async function evaluateBest (search, node, wanted) {
  if (isTerm(node)) {
    const { term, scorer } = await partOf(search, node, node.boost ?? 1)
    return { matches: await bestMatches(search, term, scorer, wanted), total: term.df }
  }
  if (node.type !== 'boolean' || node.least > 0 || node.clauses.length < 2 || !node.clauses.every(isNeededTerm)) return undefined
  return conjunction(search, await partsOf(search, node.clauses, node.boost ?? 1), { best: wanted })
}

/** A term that is a number is one of numbers, too. @param {Node} node */
function isTerm (node) { return node.type === 'term' && node.number === undefined }

/** @param {Clause} clause */
function isNeededTerm ({ occur, node }) { return (occur === 'must' || occur === 'filter') && isTerm(node) }

/** @param {Search} search @param {Node} node a term @param {number} boost @returns {Promise<import('./conjunction').Part>} */
async function partOf ({ reader }, { field, term }, boost) {
  const [record, statistics] = await Promise.all([reader.term(field, term), reader.statistics(field)])
  return { term: record, scorer: scorer(boost * idf(record.df, statistics[0]), statistics) }
}

/** @param {Search} search @param {Clause[]} clauses of terms @param {number} boost */
function partsOf (search, clauses, boost) {
  return Promise.all(clauses.map(({ occur, node }) => partOf(search, node, occur === 'filter' ? 0 : boost * (node.boost ?? 1))))
}

/** @type {Record<string, (search: Search, node: any, boost: number, wanted?: Matches) => Promise<Matches>>} */
const evaluators = {
  all: everything,
  none: async () => new Matches(1),
  term: ofTerm,
  phrase: phraseMatches,
  intervals: (search, node, boost, wanted) => intervalMatches(search, node, boost, wanted, evaluate),
  prefix: ofPattern,
  wildcard: ofPattern,
  regexp: ofPattern,
  fuzzy: ofFuzzy,
  range: rangeMatches,
  number: (search, { field, value }, boost) => numberMatches(search, field, { low: value, high: value, includeLow: true, includeHigh: true }, boost),
  boolean: ofBoolean
}

/** @param {Search} search @param {Node} node @param {number} boost @param {Matches} [wanted] */
async function everything (search, node, boost, wanted) {
  if (wanted === undefined) search.all ??= await allMatches(search)
  return withScore(wanted ?? /** @type {Matches} */ (search.all), boost)
}

/** @param {Search} search */
async function allMatches ({ reader, work }) {
  const matches = new Matches(Math.max(1, reader.documents))
  for await (const page of reader.all()) {
    for (const doc of page) matches.add(doc, 1)
    await work.spend(ENTRY * page.length)
  }
  return matches
}

/** @param {Search} search @param {any} node @param {number} boost @param {Matches} [wanted] */
async function ofTerm (search, node, boost, wanted) {
  const { term, scorer } = await partOf(search, node, boost)
  const found = await termMatches(search, term, scorer, wanted)
  const { field, number } = node
  if (number === undefined) return found
  return unite([found, await numberMatches(search, field, { low: number, high: number, includeLow: true, includeHigh: true }, boost)])
}

/** @param {Search} search @param {Node} node @param {number} boost @param {Matches} [wanted] */
async function ofPattern (search, node, boost, wanted) {
  return constantMatches(search, node.field, await termsOf(search, node.field, search.matcherOf(node)), boost, wanted)
}

/** Close terms are worth more. @param {Search} search @param {Node} node @param {number} boost @param {Matches} [wanted] */
async function ofFuzzy (search, node, boost, wanted) {
  const matcher = search.matcherOf(node)
  const found = await termsOf(search, node.field, matcher)
  const statistics = await search.reader.statistics(node.field)
  const scoreOf = (/** @type {number} */ weight, /** @type {number} */ df) => scorer(boost * weight * idf(df, statistics[0]), statistics)
  return scoredMatches(search, node.field, found, term => matcher.similarity?.(term) ?? 1, scoreOf, wanted)
}

/** @param {Search} search @param {Node} node @param {number} boost @param {Matches} [wanted] */
async function ofBoolean (search, { clauses, least = 0 }, boost, wanted) {
  if (clauses.length > MOST_CLAUSES) throw badRequest(`maxClauseCount is set to ${MOST_CLAUSES}`)
  const needed = clauses.filter((/** @type {Clause} */ { occur }) => occur === 'must' || occur === 'filter')
  const should = clauses.filter((/** @type {Clause} */ { occur }) => occur === 'should')
  let found = await ofNeeded(search, needed, boost, wanted)
  if (found === undefined || found.length > 0) found = await withShould(search, { should, least }, boost, found, wanted)
  for (const { occur, node } of clauses) {
    if (occur === 'must_not' && found.length > 0) found = subtract(found, await evaluate(search, node, boost, found))
  }
  return found
}

/** Several terms are looked for together. @param {Search} search @param {Clause[]} needed @param {number} boost @param {Matches} [wanted] */
async function ofNeeded (search, needed, boost, wanted) {
  const terms = needed.filter(isNeededTerm)
  const together = terms.length > 1 ? (await conjunction(search, await partsOf(search, terms, boost), { wanted })).matches : undefined
  const others = together === undefined ? needed : needed.filter(clause => !isNeededTerm(clause))
  let found = together
  for (const { occur, node } of await rarestFirst(search, others)) {
    if (found?.length === 0) return found
    const more = await evaluate(search, node, occur === 'filter' ? 0 : boost, found ?? wanted)
    found = found === undefined ? more : intersect(found, more)
  }
  return found
}

/** @param {Search} search @param {{ should: Clause[], least: number }} clauses least: how many have to match @param {number} boost @param {Matches | undefined} found @param {Matches} [wanted] */
async function withShould (search, { should, least }, boost, found, wanted) {
  const several = new Several(least)
  for (const { node } of should) several.add(await evaluate(search, node, boost, found ?? wanted))
  const more = several.all()
  if (found === undefined) return more
  return least > 0 ? intersect(found, more) : boostBy(found, more)
}

/** Sorts clauses: a rare one leaves little for those after it. @param {Search} search @param {Clause[]} clauses */
async function rarestFirst (search, clauses) {
  const costs = await Promise.all(clauses.map(({ node }) => costOf(search, node)))
  return clauses.map((clause, i) => ({ clause, cost: costs[i] })).sort((a, b) => a.cost - b.cost).map(({ clause }) => clause)
}

/** Documents that a node may have; terms and phrases tell it at once. @param {Search} search @param {Node} node @returns {Promise<number>} */
async function costOf ({ reader }, node) {
  if (node.type === 'term') return (await reader.term(node.field, node.term)).df
  if (node.type === 'phrase') return Math.min(...await Promise.all(node.terms.map(async (/** @type {{ term: string }} */ { term }) => (await reader.term(node.field, term)).df)))
  return node.type === 'none' ? 0 : node.type === 'all' ? Infinity : reader.documents
}

module.exports = { evaluate, evaluateBest }
