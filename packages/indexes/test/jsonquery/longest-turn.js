'use strict'

/** Milliseconds of CPU that others wait at most. */
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

module.exports = { longestTurn }
