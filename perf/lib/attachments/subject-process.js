'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { setInterval: every, clearInterval } = require('node:timers')
const { processCpu, processMemory } = require('../run/meters')

const MIB = 2 ** 20

/** How often memory is looked at, ms. */
const PERIOD = 5

/** A process that does what subjects/attachments.js can. */
class SubjectProcess {
  #child = fork(path.join(__dirname, '../subjects/attachments.js'), { execArgv: ['--expose-gc'], env: { ...process.env, PMEM_IS_PMEM_FORCE: '1' } })

  get pid () { return this.#child.pid }

  /** @returns {Promise<any>} its answer; throws what went wrong there */
  async do (step, options) {
    this.#child.send({ step, ...options })
    const [answer] = await once(this.#child, 'message')
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  async close () {
    const closed = once(this.#child, 'exit')
    this.#child.send({ step: 'close' })
    await closed
  }
}

/**
 * @param {number} pid of another process, so that looking does not wait for it
 * @param {() => Promise<any>} work
 * @returns {Promise<{ extra: number, cpu: number, seconds: number }>} MiB at most above what it had before
 */
async function peakOf (pid, work) {
  const before = processMemory(pid).own
  let most = before
  const timer = every(() => { most = Math.max(most, processMemory(pid).own) }, PERIOD)
  const [began, cpu] = [performance.now(), processCpu(pid)]
  try {
    await work()
    return { extra: (Math.max(most, processMemory(pid).own) - before) / MIB, cpu: (processCpu(pid) - cpu) / 1e6, seconds: (performance.now() - began) / 1000 }
  } finally {
    clearInterval(timer)
  }
}

module.exports = { SubjectProcess, peakOf }
