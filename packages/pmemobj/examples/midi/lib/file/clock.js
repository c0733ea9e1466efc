'use strict'

const { DEFAULT_TEMPO } = require('./tempo')

/**
 * How long something lasts.
 *
 * @param {import('./header').Division} division
 * @param {number} ticks
 * @param {Array<{ tick: number, tempo: number }>} changes of the tempo, in any order
 * @returns {number} seconds
 */
function secondsOf (division, ticks, changes) {
  if ('ticksPerSecond' in division) return ticks / division.ticksPerSecond
  const { ticksPerQuarter } = division
  let seconds = 0
  let last = { tick: 0, tempo: DEFAULT_TEMPO }
  for (const change of [...changes].sort((a, b) => a.tick - b.tick)) {
    if (change.tick >= ticks) break
    seconds += between(last, change.tick)
    last = change
  }
  return seconds + between(last, ticks)

  function between ({ tick, tempo }, end) {
    return (end - tick) / ticksPerQuarter * 60 / tempo
  }
}

module.exports = { secondsOf }
