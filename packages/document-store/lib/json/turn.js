'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')

/** Milliseconds after which others may run. */
const LONG = 10

/** How long others have waited, for what goes through many documents. */
class Turn {
  #since = performance.now()

  get isLong () { return performance.now() - this.#since > LONG }

  /** Lets others run. */
  async end () {
    await nextRound()
    this.#since = performance.now()
  }
}

/** Elements between two looks at the clock, unless it is told otherwise. */
const EVERY = 32

/**
 * Does something with each element of a list. A list that takes less than a turn is done when this
 * returns; others run in between where it takes more.
 *
 * @template T
 * @param {T[]} list
 * @param {(element: T, index: number) => void} work
 * @param {number} [every] elements between two looks at the clock: fewer, the longer one takes
 * @returns {void | Promise<void>} a promise only of what takes more than a turn; it rejects with what `work` throws then
 */
function inTurns (list, work, every = EVERY) {
  const turn = new Turn()
  const done = some(list, 0, work, every, turn)
  return done === list.length ? undefined : theRest(list, done, work, every, turn)
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} from
 * @param {(element: T, index: number) => void} work
 * @param {number} every
 * @param {Turn} turn
 * @returns {number} how many are done
 */
function some (list, from, work, every, turn) {
  for (let i = from; i < list.length;) {
    const end = Math.min(i + every, list.length)
    for (; i < end; i++) work(list[i], i)
    if (turn.isLong) return i
  }
  return list.length
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} from
 * @param {(element: T, index: number) => void} work
 * @param {number} every
 * @param {Turn} turn
 */
async function theRest (list, from, work, every, turn) {
  for (let done = from; done < list.length; done = some(list, done, work, every, turn)) await turn.end()
}

/**
 * The same, for what each element becomes.
 *
 * @template T, U
 * @param {T[]} list
 * @param {(element: T, index: number) => U} work
 * @param {number} [every]
 * @returns {U[] | Promise<U[]>}
 */
function mapInTurns (list, work, every) {
  /** @type {U[]} */
  const results = []
  const rest = inTurns(list, (element, i) => { results.push(work(element, i)) }, every)
  return rest instanceof Promise ? rest.then(() => results) : results
}

module.exports = { Turn, inTurns, mapInTurns }
