'use strict'

const fs = require('node:fs')

/** Linux counts CPU time in hundredths of a second for programs, whatever its own clock. */
const TICKS_PER_SECOND = 100

/** @param {string | number} id @returns {{ id: number, parent: number, own: number, ofChildren: number } | null} seconds; null: it has ended */
function readProcess (id) {
  let text
  try {
    text = fs.readFileSync(`/proc/${id}/stat`, 'latin1')
  } catch {
    return null
  }
  // The name of the program, in parentheses, may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number)
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15)
  return { id: Number(id), parent: fields[1], own: (user + system) / TICKS_PER_SECOND, ofChildren: (childrenUser + childrenSystem) / TICKS_PER_SECOND }
}

/** @returns {number} seconds of CPU, user and system, of all processes that this one has started, and that those have */
function cpuSecondsOfDescendants () {
  const processes = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(readProcess).filter(each => each !== null)
  const below = new Set([process.pid])
  for (let known = 0; known !== below.size;) {
    known = below.size
    for (const { id, parent } of processes) if (below.has(parent)) below.add(id)
  }
  const counted = processes.filter(({ id }) => below.has(id))
  return counted.reduce((sum, { id, own, ofChildren }) => sum + ofChildren + (id === process.pid ? 0 : own), 0)
}

/**
 * @template T
 * @param {() => Promise<T>} run
 * @returns {Promise<{ result: T, cpu: number, clock: number }>} seconds: of the processes that it starts, and by the clock
 */
async function measured (run) {
  const [cpu, clock] = [cpuSecondsOfDescendants(), performance.now()]
  const result = await run()
  return { result, cpu: cpuSecondsOfDescendants() - cpu, clock: (performance.now() - clock) / 1000 }
}

module.exports = { measured }
