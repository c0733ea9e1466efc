'use strict'

const { LAST_CODE_POINT } = require('./expressions')

/**
 * An automaton that reads a term character by character. A state is null from where no term is accepted.
 *
 * @template State
 * @typedef {{ start: State, step (state: State, point: number): State | null, isAccepting (state: State): boolean }} Automaton
 */

/** The first string, in order of code points, that is behind all that begin so. @param {number[]} points @returns {string | undefined} */
function behind (points) {
  let end = points.length
  while (end > 0 && points[end - 1] === LAST_CODE_POINT) end--
  if (end === 0) return undefined
  const last = points[end - 1] + 1
  // Surrogates are no characters.
  return String.fromCodePoint(...points.slice(0, end - 1), last === 0xd800 ? 0xe000 : last)
}

/**
 * Runs terms through an automaton, and keeps the states of the last one: neighbours in an ordered list of terms share most of
 * their beginnings.
 *
 * @template State
 */
class Walker {
  #automaton
  /** @type {number[]} */
  #points = []
  /** State n is before character n. @type {State[]} */
  #states

  /** @param {Automaton<State>} automaton */
  constructor (automaton) {
    this.#automaton = automaton
    this.#states = [automaton.start]
  }

  /** @param {string} term @returns {State | null} the state behind it */
  run (term) {
    const points = Array.from(term, character => /** @type {number} */ (character.codePointAt(0)))
    const shared = this.#shared(points)
    this.#points = points
    this.#states.length = shared + 1
    for (let at = shared; at < points.length; at++) {
      const state = this.#automaton.step(this.#states[at], points[at])
      if (state === null) return null
      this.#states.push(state)
    }
    return this.#states[points.length]
  }

  /** @param {string} term */
  accepts (term) {
    const state = this.run(term)
    return state !== null && this.#automaton.isAccepting(state)
  }

  /**
   * Returns the lowest term that may be accepted, from `term` on: behind a beginning with which no term is, all with that
   * beginning are skipped.
   *
   * @param {string} term
   * @returns {string | undefined} undefined where there is none
   */
  next (term) {
    if (this.run(term) !== null) return term
    return behind(this.#points.slice(0, this.#states.length))
  }

  /** @param {number[]} points @returns {number} how many characters have known states */
  #shared (points) {
    const most = Math.min(points.length, this.#points.length, this.#states.length - 1)
    let at = 0
    while (at < most && points[at] === this.#points[at]) at++
    return at
  }
}

module.exports = { Walker }
