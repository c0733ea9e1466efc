'use strict'

/** The part of the time that is for warming up, before the part that is timed. */
const WARM_UP = 0.5

/**
 * Does things round after round: V8 compiles what is done often, so the first rounds are not timed.
 *
 * @param {Array<() => unknown>} round what is done, each of which may be waited for
 * @param {{ seconds: number, cpu: () => number | Promise<number> }} options seconds of CPU time that are timed, at least;
 *   cpu: microseconds that were used up to now
 * @returns {Promise<{ times: number[], cpu: number }>} milliseconds of each by the clock, and the mean of CPU time
 */
async function timeRounds (round, { seconds, cpu }) {
  await roundsOf(round, seconds * WARM_UP, cpu)
  return roundsOf(round, seconds, cpu)
}

/** @param {Array<() => unknown>} round @param {number} seconds @param {() => number | Promise<number>} cpu */
async function roundsOf (round, seconds, cpu) {
  const times = []
  const begun = await cpu()
  let spent = 0
  while (spent < seconds * 1e6) {
    for (const act of round) {
      const before = performance.now()
      const done = act()
      if (done instanceof Promise) await done
      times.push(performance.now() - before)
    }
    spent = await cpu() - begun
  }
  return { times, cpu: spent / 1000 / times.length }
}

module.exports = { timeRounds }
