'use strict'

const fs = require('node:fs')
const { setInterval: every, clearInterval } = require('node:timers')

/** How often memory is looked at, ms. */
const PERIOD = 5

/** Memory of a process without files that are mapped or cached, MiB. */
function ownMemory (pid) {
  return Number(/^RssAnon:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/** CPU time of a process, all threads, user and system, s. Linux counts it in hundredths. */
function cpuTime (pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/**
 * @param {number} pid of another process, so that looking does not wait for it
 * @param {() => Promise<any>} work
 * @returns {Promise<{ extra: number, cpu: number, seconds: number }>} MiB at most above what it had before
 */
async function peakOf (pid, work) {
  const before = ownMemory(pid)
  let most = before
  const timer = every(() => { most = Math.max(most, ownMemory(pid)) }, PERIOD)
  const [began, cpu] = [performance.now(), cpuTime(pid)]
  try {
    await work()
    return { extra: Math.max(most, ownMemory(pid)) - before, cpu: cpuTime(pid) - cpu, seconds: (performance.now() - began) / 1000 }
  } finally {
    clearInterval(timer)
  }
}

module.exports = { peakOf }
