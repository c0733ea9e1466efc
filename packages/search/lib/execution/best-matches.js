'use strict'

const { BestScores } = require('./best-scores')
const { Matches } = require('./matches')
const { BlockReader } = require('../postings/block-reader')
const { GroupReader, MOST } = require('../postings/group')

/**
 * @typedef {import('./terms').Search} Search
 * @typedef {import('./terms').Scorer} Scorer
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ count: number, inOrder: boolean }} Wanted count: how many are wanted, above 0; inOrder: of those of one score the first
 */

/** Records that are read at once. */
const PAGE = 32

/** Blocks of a page for each document that is wanted, from which on the best ones are looked at before the others. */
const MANY = 4

/** Blocks of a page: their records, where their texts begin there, and the scores that none of their postings exceeds. */
const group = new GroupReader()
const recordOf = new Int32Array(PAGE * MOST)
const startOf = new Int32Array(PAGE * MOST)
const scoreOf = new Float64Array(PAGE * MOST)

/** @param {string[]} texts of records @param {Scorer} scorer @returns {number} how many blocks */
function openPage (texts, scorer) {
  let count = 0
  for (let record = 0; record < texts.length; record++) {
    group.open(texts[record])
    for (let i = 0; i < group.count; i++) {
      recordOf[count] = record
      startOf[count] = group.starts[i]
      scoreOf[count++] = group.bestScore(i, scorer)
    }
  }
  return count
}

/** Gathers the documents of a term that may be among the best, of blocks that come in order. */
class BestOfTerm {
  matches = new Matches()
  #postings = new BlockReader()
  #scorer
  #wanted
  /** Scores of the documents that were gathered, and of those that were looked at before. */
  #best
  #foreseen
  /** Postings that were read since `take`. */
  #read = 0

  /** @param {Scorer} scorer @param {Wanted} wanted */
  constructor (scorer, wanted) {
    this.#scorer = scorer
    this.#wanted = wanted
    this.#best = new BestScores(wanted.count)
    this.#foreseen = new BestScores(wanted.count)
  }

  /** Whether a block, or a document, may have one of the best. @param {number} score its best */
  #isEnough (score) {
    const { least } = this.#best
    return (this.#wanted.inOrder ? score > least : score >= least) && score >= this.#foreseen.least
  }

  /** Looks at the best blocks first: they tell of many others that they are not good enough. @param {string[]} texts of a page of records */
  addPage (texts) {
    const count = openPage(texts, this.#scorer)
    this.#read += count
    if (count >= MANY * this.#wanted.count) this.#foresee(texts, count)
    for (let i = 0; i < count; i++) {
      if (!this.#isEnough(scoreOf[i])) continue
      this.#open(texts, i)
      this.#addAll()
    }
  }

  /** @param {string[]} texts @param {number} count of blocks */
  #foresee (texts, count) {
    const high = new BestScores(this.#wanted.count)
    for (let i = 0; i < count; i++) if (scoreOf[i] > high.least) high.add(scoreOf[i])
    const { least } = high
    for (let i = 0, left = this.#wanted.count; i < count && left > 0; i++) {
      if (scoreOf[i] < least || !this.#isEnough(scoreOf[i])) continue
      this.#open(texts, i)
      this.#foreseeAll()
      left--
    }
  }

  /** @param {string[]} texts @param {number} i */
  #open (texts, i) {
    this.#postings.openBlock(texts[recordOf[i]], startOf[i])
    this.#read += this.#postings.count
  }

  #foreseeAll () {
    const { freqs, norms } = this.#postings.all()
    for (let i = 0; i < this.#postings.count; i++) {
      const score = this.#scorer.score(freqs[i], norms[i])
      if (score >= this.#foreseen.least) this.#foreseen.add(score)
    }
  }

  #addAll () {
    const { freqs, norms } = this.#postings.all()
    for (let i = 0; i < this.#postings.count; i++) {
      const score = this.#scorer.score(freqs[i], norms[i])
      if (!this.#isEnough(score)) continue
      this.#best.add(score)
      this.matches.add(this.#postings.docs[i], score)
    }
  }

  /** @param {import('../postings/columns').Tail} tail */
  addTail (tail) {
    this.#postings.openTail(tail)
    this.#read += tail.count
    this.#addAll()
  }

  /** How many postings were read since the last time. */
  take () {
    const read = this.#read
    this.#read = 0
    return read
  }
}

/**
 * The documents of a term that may be among the best: of blocks whose best posting is not good enough nothing is read.
 *
 * @param {Search} search
 * @param {Term} term
 * @param {Scorer} scorer
 * @param {Wanted} wanted
 */
async function bestMatches ({ reader, work }, { number, blocks, tail }, scorer, wanted) {
  const best = new BestOfTerm(scorer, wanted)
  if (blocks > 0) {
    const source = reader.groups(number)
    try {
      for (let from = 0; ;) {
        const page = await source.next(from, PAGE)
        if (page.length === 0) break
        best.addPage(page.map(({ text }) => text))
        from = page[page.length - 1].last + 1
        const pause = work.spend(best.take())
        if (pause !== undefined) await pause
      }
    } finally {
      await source.close()
    }
  }
  best.addTail(tail)
  await work.spend(best.take())
  return best.matches
}

module.exports = { bestMatches }
