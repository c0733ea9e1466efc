'use strict'

const { badRequest } = require('@potoroo/errors')
const { constantScorer } = require('./bm25')
const { DocumentSet } = require('./document-set')
const { Union } = require('./matches')
const { termMatches } = require('./terms')
const { ENTRY } = require('./work')

/**
 * @typedef {import('./terms').Search} Search
 * @typedef {import('./matches').Matches} Matches
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ prefix: string, accepts (term: string): boolean, next? (term: string): string | undefined, similarity? (term: string): number, takeCost? (): number }} Matcher which
 *   terms; takeCost: steps that it took since it was asked last; next: the lowest term from this one on that may be accepted, undefined: there is none
 * @typedef {import('../index/reader').FoundTerm} Found
 */

/** Terms that are read at once. */
const READ = 64

/** Terms that a pattern may have, and those by which a fuzzy term is scored, as Lucene. */
const MOST_TERMS = 16_384
const MOST_FUZZY = 50

/**
 * The terms of a field that a matcher accepts.
 *
 * @param {Search} search
 * @param {string} field
 * @param {Matcher} matcher
 * @returns {Promise<Found[]>}
 * @throws bad_request where they are too many
 */
async function termsOf ({ reader, work }, field, matcher) {
  const { prefix } = matcher
  const cursor = reader.terms(field, matcher.next?.(prefix) ?? prefix)
  /** @type {Found[]} */
  const found = []
  try {
    for (;;) {
      const page = await cursor.next()
      if (page.length === 0) return found
      for (const entry of page) {
        if (!entry.term.startsWith(prefix)) return found
        if (matcher.accepts(entry.term)) found.push(entry)
        // One term may take long.
        const pause = work.spend(ENTRY + (matcher.takeCost?.() ?? 0))
        if (pause !== undefined) await pause
      }
      if (found.length > MOST_TERMS) throw badRequest(`The query is too costly: more than ${MOST_TERMS} terms match.`)
      const last = page[page.length - 1].term
      const next = matcher.next?.(last + '\0')
      if (matcher.next !== undefined && next === undefined) return found
      if (next !== undefined && next > last) cursor.seek(next)
    }
  } finally {
    await cursor.close()
  }
}

/**
 * The documents of all terms that a matcher accepts, each with the same score.
 *
 * @param {Search} search
 * @param {string} field
 * @param {Found[]} found
 * @param {number} boost
 * @param {Matches} [wanted]
 */
async function constantMatches (search, field, found, boost, wanted) {
  const docs = new DocumentSet()
  for await (const { term } of readTerms(search, field, found)) docs.addAll(await termMatches(search, term, constantScorer(boost), wanted))
  return docs.matches(boost, search.work)
}

/**
 * The terms that were found, with their postings.
 *
 * @param {Search} search
 * @param {string} field
 * @param {Found[]} found
 * @returns {AsyncGenerator<{ found: Found, term: Term }>}
 */
async function * readTerms ({ reader, work }, field, found) {
  for (let at = 0; at < found.length; at += READ) {
    const some = found.slice(at, at + READ)
    const terms = await reader.found(field, some.map(({ number }) => number))
    await work.spend(ENTRY * some.length)
    for (let i = 0; i < some.length; i++) yield { found: some[i], term: terms[i] }
  }
}

/**
 * The documents of the closest terms: all as rare as the commonest of them, so that a rare misspelling is not worth more than the word.
 *
 * @param {Search} search
 * @param {string} field
 * @param {Found[]} found in the order of the terms: the first of those that are as close are taken
 * @param {(term: string) => number} weigh how close a term is
 * @param {(weight: number, df: number) => import('./terms').Scorer} scoreOf
 * @param {Matches} [wanted]
 */
async function scoredMatches (search, field, found, weigh, scoreOf, wanted) {
  const ranked = []
  for await (const { found: each, term } of readTerms(search, field, found)) if (term.df > 0) ranked.push({ number: each.number, df: term.df, weight: weigh(each.term) })
  ranked.sort((a, b) => b.weight - a.weight)
  const closest = ranked.slice(0, MOST_FUZZY)
  const df = Math.max(...closest.map(each => each.df))
  const terms = await search.reader.found(field, closest.map(({ number }) => number))
  const union = new Union()
  for (let i = 0; i < closest.length; i++) union.add(await termMatches(search, terms[i], scoreOf(closest[i].weight, df), wanted))
  return union.all()
}

module.exports = { constantMatches, readTerms, scoredMatches, termsOf }
