'use strict'

const { formatMicroseconds, formatRatio } = require('./figures')

/**
 * Says which goals of the trials our first driver reaches.
 *
 * @param {import('./rounds').Result[][]} trials the results of each
 * @param {(result: import('./rounds').Result | undefined) => number | undefined} valueOf µs
 * @returns {string[]} a paragraph; none where no trial has a goal that was measured
 */
function describeGoals (trials, valueOf) {
  const lines = trials.flatMap((row) => {
    const ours = row.find((result) => result.ours)
    const value = valueOf(ours)
    if (ours?.goal === undefined || value === undefined) return []
    return [...timeGoal(ours, value), ...peerGoals(ours, value, row, valueOf)]
      .map(({ text, met }) => `${met ? 'met   ' : 'MISSED'} ${ours.trial}: ${text}`)
  })
  return lines.length === 0 ? [] : [['Goals:', ...lines].join('\n')]
}

/** Times are asked for in persistent memory: on a disk, the disk makes them. */
function timeGoal ({ goal: { most }, medium }, value) {
  if (most === undefined || medium !== 'tmpfs') return []
  return [{ text: `${formatMicroseconds(value)}, of ${formatMicroseconds(most)} at most`, met: value <= most }]
}

function peerGoals ({ goal: { times, than } }, value, row, valueOf) {
  if (times === undefined) return []
  return row.filter((peer) => !peer.ours && valueOf(peer) !== undefined && (than === undefined ? peer.durability !== 'none' : peer.driver === than))
    .map((peer) => {
      const ratio = valueOf(peer) / value
      return { text: `${formatRatio(ratio)} times as fast as ${peer.driver}, of ${times}`, met: ratio >= times }
    })
}

module.exports = { describeGoals }
