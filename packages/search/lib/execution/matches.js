'use strict'

/** Documents in ascending order, each with a score. */
class Matches {
  #docs
  #scores
  length = 0

  /** @param {number} [room] */
  constructor (room = 128) {
    this.#docs = new Float64Array(room)
    this.#scores = new Float64Array(room)
  }

  get docs () { return this.#docs }
  get scores () { return this.#scores }

  /** @param {number} doc above the last one @param {number} score */
  add (doc, score) {
    if (this.length === this.#docs.length) this.#grow()
    this.#docs[this.length] = doc
    this.#scores[this.length++] = score
  }

  /**
   * Adds the postings that a reader is at.
   *
   * @param {import('../postings/block-reader').BlockReader} postings of documents above the last one
   * @param {import('./terms').Scorer} scorer
   */
  addAll (postings, scorer) {
    const { docs, count } = postings
    const { freqs, norms } = postings.all()
    while (this.length + count > this.#docs.length) this.#grow()
    this.#docs.set(docs.subarray(0, count), this.length)
    scorer.scoreAll(freqs, norms, count, this.#scores, this.length)
    this.length += count
  }

  #grow () {
    const docs = new Float64Array(2 * this.#docs.length)
    const scores = new Float64Array(2 * this.#docs.length)
    docs.set(this.#docs)
    scores.set(this.#scores)
    this.#docs = docs
    this.#scores = scores
  }

  /** The documents alone. */
  list () { return Array.from(this.#docs.subarray(0, this.length)) }
}

/**
 * Goes through two in order.
 *
 * @param {Matches} a
 * @param {Matches} b
 * @param {{ first?: boolean, second?: boolean, both?: boolean }} wanted documents that are in the first alone, the second alone, both
 */
function merge (a, b, { first = false, second = false, both = false }) {
  const out = new Matches(Math.max(1, first && second ? a.length + b.length : first ? a.length : Math.min(a.length, b.length)))
  const { docs, scores } = a
  const { docs: others, scores: otherScores } = b
  let i = 0
  let k = 0
  while (i < a.length && k < b.length) {
    if (docs[i] < others[k]) {
      if (first) out.add(docs[i], scores[i])
      i++
    } else if (docs[i] > others[k]) {
      if (second) out.add(others[k], otherScores[k])
      k++
    } else {
      if (both) out.add(docs[i], scores[i] + otherScores[k])
      i++
      k++
    }
  }
  if (first) copy(a, i, out)
  if (second) copy(b, k, out)
  return out
}

/** @param {Matches} from @param {number} at where its rest begins @param {Matches} to */
function copy ({ docs, scores, length }, at, to) {
  for (let i = at; i < length; i++) to.add(docs[i], scores[i])
}

/** Documents of both; scores add up. @param {Matches} a @param {Matches} b */
function intersect (a, b) { return merge(a, b, { both: true }) }

/** Documents of the first, with the scores of the second where it has them. @param {Matches} a @param {Matches} b */
function boostBy (a, b) { return merge(a, b, { first: true, both: true }) }

/** Documents of the first that the second has not. @param {Matches} a @param {Matches} b */
function subtract (a, b) { return merge(a, b, { first: true }) }

/**
 * Documents of any, which are put together as they come: those of as many clauses each, so that no more is in memory than a few of them.
 */
class Union {
  /** @type {Array<{ clauses: number, matches: Matches }>} */
  #parts = []

  /** @param {Matches} matches */
  add (matches) {
    this.#parts.push({ clauses: 1, matches })
    while (this.#parts.length > 1 && this.#parts.at(-1)?.clauses === this.#parts.at(-2)?.clauses) this.#join()
  }

  #join () {
    const [left, right] = this.#parts.splice(-2)
    this.#parts.push({ clauses: left.clauses + right.clauses, matches: merge(left.matches, right.matches, { first: true, second: true, both: true }) })
  }

  /** @returns {Matches} */
  all () {
    while (this.#parts.length > 1) this.#join()
    return this.#parts[0]?.matches ?? new Matches(1)
  }
}

/** @param {Matches[]} all */
function unite (all) {
  const union = new Union()
  for (const each of all) union.add(each)
  return union.all()
}

/** The same documents, each with one score: those of `matches` itself. @param {Matches} matches @param {number} score */
function withScore ({ docs, length }, score) {
  const out = new Matches(Math.max(1, length))
  for (let i = 0; i < length; i++) out.add(docs[i], score)
  return out
}

/** Documents of several clauses, which come one after the other. */
class Several {
  #least
  #scores = new Union()
  #counts = new Union()

  /** @param {number} least how many clauses a document has to match */
  constructor (least) { this.#least = least }

  /** @param {Matches} matches */
  add (matches) {
    this.#scores.add(matches)
    if (this.#least > 1) this.#counts.add(withScore(matches, 1))
  }

  /** @returns {Matches} */
  all () {
    if (this.#least <= 1) return this.#scores.all()
    const counts = this.#counts.all()
    const enough = new Matches(Math.max(1, counts.length))
    for (let i = 0; i < counts.length; i++) if (counts.scores[i] >= this.#least) enough.add(counts.docs[i], 0)
    return intersect(enough, this.#scores.all())
  }
}

module.exports = { Matches, Several, Union, boostBy, intersect, subtract, unite, withScore }
