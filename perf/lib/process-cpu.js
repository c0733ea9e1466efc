'use strict'

const fs = require('node:fs')

/** Ticks of the kernel are 10 ms on every Linux that Node.js runs on. */
const TICK = 10_000

/**
 * @param {number} pid of a process that is not ours, such as a server's
 * @returns {number} µs of CPU time that it and its descendants took so far; 0 where there is none
 */
function processCpu (pid) {
  return [pid, ...descendants(pid)].reduce((sum, each) => sum + cpuOf(each), 0)
}

function statOf (pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold anything, and ends with the last bracket.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function cpuOf (pid) {
  const stat = statOf(pid)
  return stat === null ? 0 : (Number(stat[11]) + Number(stat[12])) * TICK
}

function descendants (pid) {
  const all = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(name => ({ pid: Number(name), parent: Number(statOf(name)?.[1]) }))
  const found = [pid]
  for (const parent of found) for (const each of all) if (each.parent === parent) found.push(each.pid)
  return found.slice(1)
}

module.exports = { processCpu }
