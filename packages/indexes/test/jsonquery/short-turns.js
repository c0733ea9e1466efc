'use strict'

const assert = require('node:assert/strict')

/** Milliseconds of CPU that others may wait. */
const MOST = 50

/** Runs of which the calmest counts: what else the process does makes a turn longer, and none shorter. */
const RUNS = 10

/** Fails where others do not run meanwhile. @param {string} what is done @param {() => Promise<unknown>} run */
async function assertShortTurns (what, run) {
  let longest = Infinity
  for (let n = 0; n < RUNS && longest >= MOST; n++) longest = Math.min(longest, await longestTurn(run))
  assert.ok(longest < MOST, `${what}: ${longest} ms`)
}

/** @param {() => Promise<unknown>} run @returns {Promise<number>} milliseconds of CPU */
async function longestTurn (run) {
  let longest = 0
  let last = process.cpuUsage()
  const look = () => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
    turn = setImmediate(look)
  }
  let turn = setImmediate(look)
  await run()
  clearImmediate(turn)
  return longest
}

module.exports = { assertShortTurns }
