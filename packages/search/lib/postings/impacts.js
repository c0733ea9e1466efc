'use strict'

const { NumberWriter } = require('./numbers')

/*
 * The best postings of a block, by which a search leaves it out: pairs of a frequency and a norm. Each posting has at most the frequency and
 * at least the norm of one of them, so none scores better than the best of them. As text:
 *
 *   a number                how many pairs
 *   of each, a number       its frequency, the highest first
 *     a character           its norm, less than that of the pair before
 */

/** Pairs at most: the last one stands for all others. */
const MOST = 4

/** Frequencies from this on count as the highest of all. */
const HIGH = 64

const NO_NORM = 255
const least = new Uint8Array(HIGH + 1)
const writer = new NumberWriter()

/** @param {import('./columns').Columns} columns @param {number} from @param {number} to @returns {string} */
function impactsOf ({ freqs, norms }, from, to) {
  least.fill(NO_NORM)
  let highest = 0
  let lowest = NO_NORM
  for (let i = from; i < to; i++) {
    const freq = Math.min(freqs[i], HIGH)
    if (norms[i] < least[freq]) least[freq] = norms[i]
    if (norms[i] < lowest) lowest = norms[i]
    if (freqs[i] > highest) highest = freqs[i]
  }
  return written(pairsOf(highest, lowest))
}

/** @param {number} highest frequency @param {number} lowest norm @returns {Array<[freq: number, norm: number]>} */
function pairsOf (highest, lowest) {
  /** @type {Array<[number, number]>} */
  const pairs = []
  for (let freq = Math.min(highest, HIGH), norm = NO_NORM; norm > lowest; freq--) {
    if (least[freq] >= norm) continue
    norm = pairs.length === MOST - 1 ? lowest : least[freq]
    pairs.push([freq === HIGH ? highest : freq, norm])
  }
  return pairs
}

/** @param {Array<[freq: number, norm: number]>} pairs */
function written (pairs) {
  writer.put(pairs.length)
  for (const [freq, norm] of pairs) {
    writer.put(freq)
    writer.putCode(norm)
  }
  return writer.take()
}

/**
 * The score that no posting exceeds.
 *
 * @param {import('./numbers').NumberReader} reader at a block's impacts
 * @param {{ score (freq: number, norm: number): number }} scorer
 */
function bestScore (reader, scorer) {
  let best = 0
  for (let left = reader.next(); left > 0; left--) {
    const score = scorer.score(reader.next(), reader.nextCode())
    if (score > best) best = score
  }
  return best
}

/** @param {import('./numbers').NumberReader} reader */
function skipImpacts (reader) {
  for (let left = reader.next(); left > 0; left--) {
    reader.next()
    reader.at++
  }
}

module.exports = { bestScore, impactsOf, skipImpacts }
