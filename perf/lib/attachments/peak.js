'use strict'

const fs = require('node:fs')
const { setInterval: every, clearInterval } = require('node:timers')

/** How often memory is looked at, ms. */
const PERIOD = 5

/** Memory of a process without files that are mapped or cached, MiB. */
function ownMemory (pid) {
  return Number(/^RssAnon:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/**
 * @param {number} pid of another process, so that looking does not wait for it
 * @param {() => Promise<any>} work
 * @returns {Promise<{ extra: number, seconds: number }>} MiB at most above what it had before
 */
async function peakOf (pid, work) {
  const before = ownMemory(pid)
  let most = before
  const timer = every(() => { most = Math.max(most, ownMemory(pid)) }, PERIOD)
  const began = performance.now()
  try {
    await work()
    return { extra: Math.max(most, ownMemory(pid)) - before, seconds: (performance.now() - began) / 1000 }
  } finally {
    clearInterval(timer)
  }
}

module.exports = { peakOf }
