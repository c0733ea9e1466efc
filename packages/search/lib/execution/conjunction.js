'use strict'

const { BestScores } = require('./best-scores')
const { Matches } = require('./matches')
const { PostingCursor } = require('./posting-cursor')
const { Within } = require('./within')
const { BLOCK } = require('../postings/block')
const { placeOf } = require('../postings/place')

/**
 * @typedef {import('./terms').Search} Search
 * @typedef {import('./terms').Scorer} Scorer
 * @typedef {import('../postings/records').Term} Term
 * @typedef {{ term: Term, scorer: Scorer }} Part
 * @typedef {{ wanted?: Matches, best?: import('./best-matches').Wanted }} Options wanted: other documents are left out; best: those that are not
 *   among the best are counted alone
 */

/** Documents of a block from which on all of its frequencies are read at once. */
const SOME = 16

/** Goes through the documents that several terms have: the rarest says which may be one, and the others are asked whether it is. */
class Conjunction {
  matches = new Matches()
  total = 0
  #cursors
  #scorers
  #within
  #best
  #inOrder
  /** Documents of the first term's block that all terms may have. */
  #places = new Int32Array(BLOCK)
  /** The scores that no posting of the blocks exceeds. */
  #bounds

  /** @param {Search} search @param {Part[]} parts the rarest first @param {Options} options */
  constructor ({ reader }, parts, { wanted, best }) {
    this.#cursors = parts.map(({ term }) => new PostingCursor(reader, term))
    this.#scorers = parts.map(({ scorer }) => scorer)
    this.#bounds = new Float64Array(parts.length)
    this.#within = new Within(wanted)
    this.#best = best && new BestScores(best.count)
    this.#inOrder = best?.inOrder === true
  }

  /** @param {import('./work').Work} work */
  async run (work) {
    const [first] = this.#cursors
    const within = this.#within
    for (let from = within.next(0); from < Infinity; from = within.next(first.last + 1)) {
      const seeking = first.seek(from)
      if (seeking !== undefined) await seeking
      if (first.isAtEnd) break
      const taking = this.#takeBlock()
      if (taking !== undefined) await taking
      const pause = work.spend(this.#read())
      if (pause !== undefined) await pause
      if (this.#last === Infinity) break
    }
  }

  /** The last document that a block of each term may have; Infinity: one of them has no more. */
  get #last () {
    const cursors = this.#cursors
    let { last } = cursors[0]
    for (let i = 1; i < cursors.length; i++) {
      const other = cursors[i].last
      if (other === Infinity) return Infinity
      if (other < last) last = other
    }
    return last
  }

  /**
   * Takes documents of the first term's block, as many at once as are in one block of each of the others.
   *
   * @param {number} [from] which one
   * @returns {void | Promise<void>} a promise where something has to be read
   */
  #takeBlock (from = 0) {
    const [first] = this.#cursors
    const { docs, count } = first.postings
    for (let at = from; at < count;) {
      at = placeOf(docs, at, count, this.#within.next(docs[at]))
      if (at === count) return
      const seeking = this.#seekOthers(docs[at])
      if (seeking !== undefined) return seeking.then(() => this.#takeBlock(at))
      const last = this.#last
      if (last === Infinity) return
      const end = last === first.last ? count : placeOf(docs, at, count, last + 1)
      this.#take(at, end)
      at = end
    }
  }

  /** @param {number} doc @returns {void | Promise<void>} a promise where something has to be read before it is called again */
  #seekOthers (doc) {
    for (let i = 1; i < this.#cursors.length; i++) {
      const seeking = this.#cursors[i].seek(doc)
      if (seeking !== undefined) return seeking
    }
  }

  /** @param {number} from @param {number} to of documents of the first term's block */
  #take (from, to) {
    const cursors = this.#cursors
    const { docs } = cursors[0].postings
    if (this.#places.length < to - from) this.#places = new Int32Array(to - from)
    const places = this.#places
    let count = 0
    for (let at = from; at < to; at++) if (this.#within.next(docs[at]) === docs[at]) places[count++] = at
    for (let i = 1; i < cursors.length && count > 0; i++) count = cursors[i].postings.keep(docs, places, count)
    this.total += count
    if (count > 0) this.#addAll(count)
  }

  /** Adds documents that all terms have, unless they are not among the best. @param {number} count of `#places` */
  #addAll (count) {
    const [{ postings }] = this.#cursors
    if (this.#best !== undefined) this.#cursors.forEach((cursor, i) => { this.#bounds[i] = cursor.bestScore(this.#scorers[i]) })
    if (!this.#isEnough(this.#bound(this.#bounds[0]))) return
    const { docs } = postings
    if (count > SOME) postings.all()
    for (let i = 0; i < count; i++) {
      const at = this.#places[i]
      const first = this.#scorers[0].score(postings.freq(at), postings.norm(at))
      if (this.#isEnough(this.#bound(first))) this.#add(docs[at], this.#score(docs[at], first))
    }
  }

  /** @param {number} doc @param {number} score */
  #add (doc, score) {
    if (!this.#isEnough(score)) return
    this.#best?.add(score)
    this.matches.add(doc, score)
  }

  /** @param {number} score */
  #isEnough (score) {
    if (this.#best === undefined) return true
    const { least } = this.#best
    return this.#inOrder ? score > least : score >= least
  }

  /** The score that no document of the blocks exceeds. @param {number} first that of the first term */
  #bound (first) {
    for (let i = 1; i < this.#bounds.length; i++) first += this.#bounds[i]
    return first
  }

  /** @param {number} doc @param {number} first the score of the first term */
  #score (doc, first) {
    for (let i = 1; i < this.#cursors.length; i++) first += this.#cursors[i].scoreOf(doc, this.#scorers[i])
    return first
  }

  /** How many postings were read since the last time. */
  #read () { return this.#cursors.reduce((sum, cursor) => sum + cursor.take(), 0) }

  async close () { for (const cursor of this.#cursors) await cursor.close() }
}

/**
 * The documents that have all of several terms.
 *
 * @param {Search} search
 * @param {Part[]} parts two or more
 * @param {Options} [options]
 * @returns {Promise<{ matches: Matches, total: number }>} total: of all documents
 */
async function conjunction (search, parts, options = {}) {
  if (parts.some(({ term }) => term.df === 0)) return { matches: new Matches(1), total: 0 }
  const ordered = [...parts].sort((a, b) => a.term.df - b.term.df)
  const found = new Conjunction(search, ordered, options)
  try {
    await found.run(search.work)
  } finally {
    await found.close()
  }
  return found
}

module.exports = { conjunction }
