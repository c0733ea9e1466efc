'use strict'

const fs = require('node:fs')

/**
 * The CPU time of a process and of its children.
 *
 * @param {number} pid
 * @returns {number} µs
 */
function processorTime (pid) {
  let time = 0
  for (const each of [pid, ...childrenOf(pid)]) time += timeOf(each)
  return time
}

/** @param {number} pid */
function childrenOf (pid) {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** With that of its children that have ended. @param {number} pid */
function timeOf (pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK, 0)
  } catch {
    return 0
  }
}

const TICK = 10_000

module.exports = { processorTime }
