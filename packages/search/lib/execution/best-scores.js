'use strict'

/** The best scores so far, as many as are wanted. */
class BestScores {
  #scores
  #count = 0

  /** @param {number} wanted above 0 */
  constructor (wanted) { this.#scores = new Float64Array(wanted) }

  /** The least score that may be among the best. */
  get least () { return this.#count < this.#scores.length ? -Infinity : this.#scores[0] }

  /** @param {number} score at least `least` */
  add (score) {
    const scores = this.#scores
    let at = 0
    if (this.#count < scores.length) for (at = this.#count++; at > 0 && scores[at - 1] > score; at--) scores[at] = scores[at - 1]
    else for (; at + 1 < scores.length && scores[at + 1] < score; at++) scores[at] = scores[at + 1]
    scores[at] = score
  }
}

module.exports = { BestScores }
