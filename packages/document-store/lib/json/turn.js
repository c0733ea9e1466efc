'use strict'

/** Milliseconds after which others may run. */
const LONG = 10

/** Milliseconds of a turn that does not count for its round: nearly all end before. */
const SHORT = 1

/** Functions that wait for a round of the event loop, first come, first served. @type {Array<() => void>} */
let waiting = []
/** Functions whose turn it is; `served` of them have had it. @type {Array<() => void>} */
let invited = []
let served = 0
let started = 0
let scheduled = false

/** The time at which the first turn of this round began: others that begin in it have the rest of that time. */
let begun = 0
let hasBegun = false

/**
 * Resolves in a later round of the event loop. One round serves all who wait only if that is short:
 * the turns of a hundred requests, one after the other, would hold up everybody else.
 *
 * @returns {Promise<void>}
 */
function nextRound () {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (!scheduled) schedule()
  })
}

function schedule () {
  scheduled = true
  setImmediate(startRound)
}

function startRound () {
  started = begun = performance.now()
  if (served === invited.length) {
    invited = waiting
    waiting = []
    served = 0
  }
  serve()
}

function serve () {
  if (served < invited.length) {
    invited[served++]()
    // A tick that a microtask asks for comes when that turn is over.
    queueMicrotask(() => process.nextTick(goOn))
  }
}

function goOn () {
  if (served < invited.length) return performance.now() - started > LONG ? schedule() : serve()
  scheduled = false
  if (waiting.length > 0) schedule()
}

/** @param {number} time */
function begin (time) {
  begun = time
  hasBegun = true
  setImmediate(endRound)
}

function endRound () { hasBegun = false }

/** How long others have waited, for what goes through many documents. */
class Turn {
  #since = performance.now()

  get isLong () {
    const now = performance.now()
    const taken = now - this.#since
    if (hasBegun) return taken > LONG || now - begun > LONG
    if (taken > SHORT) begin(taken > LONG ? now : this.#since)
    return taken > LONG
  }

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
    if (i < list.length && turn.isLong) return i
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

module.exports = { Turn, inTurns, mapInTurns, nextRound }
