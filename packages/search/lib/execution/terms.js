'use strict'

const { Matches } = require('./matches')
const { PostingCursor } = require('./posting-cursor')
const { Within } = require('./within')
const { placeOf } = require('../postings/place')

/**
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ reader: import('../index/reader').IndexReader, work: import('./work').Work }} Search
 * @typedef {ReturnType<typeof import('./bm25').scorer>} Scorer
 * @typedef {import('../postings/block-reader').BlockReader} BlockReader
 */

/**
 * Goes through the postings of a term, block by block; those without documents that are wanted are left out.
 *
 * @param {Search} search
 * @param {Term} term
 * @param {Matches | undefined} wanted
 * @param {(postings: BlockReader, within: Within) => void} take
 */
async function eachBlock ({ reader, work }, term, wanted, take) {
  const cursor = new PostingCursor(reader, term)
  const within = new Within(wanted)
  try {
    for (let from = within.next(0); from < Infinity; from = within.next(cursor.last + 1)) {
      const seeking = cursor.seek(from)
      if (seeking !== undefined) await seeking
      if (cursor.isAtEnd) return
      take(cursor.postings, within)
      const pause = work.spend(cursor.postings.count)
      if (pause !== undefined) await pause
    }
  } finally {
    await cursor.close()
  }
}

/**
 * The documents of a term.
 *
 * @param {Search} search
 * @param {Term} term
 * @param {Scorer} scorer
 * @param {Matches} [wanted] others are left out
 */
async function termMatches (search, term, scorer, wanted) {
  const matches = new Matches(wanted === undefined ? Math.max(1, term.df) : undefined)
  await eachBlock(search, term, wanted, wanted === undefined ? takeAll : takeSome)
  return matches

  /** @param {BlockReader} postings */
  function takeAll (postings) { matches.addAll(postings, scorer) }

  /** @param {BlockReader} postings @param {Within} within */
  function takeSome (postings, within) {
    const { docs, count } = postings
    for (let i = 0, doc = within.next(0); doc < Infinity;) {
      i = placeOf(docs, i, count, doc)
      if (i === count) return
      if (docs[i] === doc) matches.add(doc, scorer.score(postings.freq(i), postings.norm(i)))
      doc = within.next(docs[i] === doc ? doc + 1 : docs[i])
    }
  }
}

module.exports = { termMatches }
