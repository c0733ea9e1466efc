'use strict'

const { LENGTHS } = require('../postings/norm')

const K1 = 1.2
const B = 0.75

/**
 * How rare a term is.
 *
 * @param {number} df documents that have it
 * @param {number} documents that have its field
 */
function idf (df, documents) { return Math.log(1 + (documents - df + 0.5) / (df + 0.5)) }

/**
 * Scores of a term, or a phrase, as Lucene's BM25Similarity gives them.
 *
 * @see Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond
 */
class Scorer {
  #weight
  /** The amounts that lengths add to a frequency, by their codes. */
  #parts

  /**
   * @param {number} weight
   * @param {Float64Array} parts
   */
  constructor (weight, parts) {
    this.#weight = weight
    this.#parts = parts
  }

  /** @param {number} freq @param {number} norm */
  score (freq, norm) { return this.#weight * freq / (freq + this.#parts[norm]) }

  /** @param {Int32Array} freqs @param {Uint8Array} norms @param {number} count @param {Float64Array} scores @param {number} at where the first goes */
  scoreAll (freqs, norms, count, scores, at) {
    const weight = this.#weight
    const parts = this.#parts
    for (let i = 0; i < count; i++) scores[at + i] = weight * freqs[i] / (freqs[i] + parts[norms[i]])
  }
}

/**
 * @param {number} weight boost, times how rare it is
 * @param {[number, number]} statistics documents that have the field, and terms that they have there
 */
function scorer (weight, [documents, terms]) {
  const average = documents === 0 ? 1 : terms / documents
  if (average !== known.average) known = { average, parts: LENGTHS.map(length => K1 * (1 - B + B * length / average)) }
  return new Scorer(weight, known.parts)
}

/** The amounts of the field that was asked for last: queries often ask for the same one. */
let known = { average: NaN, parts: LENGTHS }

const NOTHING = new Float64Array(LENGTHS.length)

/** Scores each document the same. @param {number} score */
function constantScorer (score) { return new Scorer(score, NOTHING) }

module.exports = { constantScorer, idf, scorer }
