'use strict'

const fs = require('node:fs')
const { Session } = require('node:inspector/promises')

/** CPU time, all threads, and profiles of the process it is in. */
class OwnMeter {
  #session = null
  #beside

  /** @param {() => number} [beside] CPU time of a server that works for it, in µs */
  constructor (beside = () => 0) {
    this.#beside = beside
  }

  /** @returns {Promise<number>} µs, user and system */
  async cpu () {
    const { user, system } = process.cpuUsage()
    return user + system + this.#beside()
  }

  /** Collects garbage, so that what came before is not charged to what is timed. */
  async collect () {
    global.gc()
  }

  async profile () {
    this.#session = new Session()
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.setSamplingInterval', { interval: 200 })
    await this.#session.post('Profiler.start')
  }

  async profiled () {
    const { profile } = await this.#session.post('Profiler.stop')
    this.#session.disconnect()
    return profile
  }
}

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

/**
 * @param {number} pid
 * @returns {Record<number, number>} µs of CPU time of each of its threads so far, by their numbers; that of the main one is `pid`
 */
function threadCpu (pid) {
  return Object.fromEntries(fs.readdirSync(`/proc/${pid}/task`).map(thread => [thread, cpuOfThread(pid, thread)]))
}

/** The scheduler counts nanoseconds, where ticks would be 10 ms. A thread may end at any time. @param {number} pid @param {string} thread */
function cpuOfThread (pid, thread) {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1000
  } catch {
    return 0
  }
}

/** CPU time of another process, all threads, from outside: to answer takes it some 0.3 ms, as much as a request or two. */
class ThreadsMeter {
  #pid
  /** Also of those that have ended. @type {Map<string, number>} */
  #threads = new Map()

  /** @param {number} pid */
  constructor (pid) {
    this.#pid = pid
  }

  /** @returns {number} µs so far */
  cpu () {
    for (const [thread, cpu] of Object.entries(threadCpu(this.#pid))) this.#threads.set(thread, Math.max(cpu, this.#threads.get(thread) ?? 0))
    return [...this.#threads.values()].reduce((sum, cpu) => sum + cpu, 0)
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

/**
 * @param {number | 'self'} [pid]
 * @returns {{ own: number, resident: number }} bytes of memory of a process; `own` is without files that are
 *   mapped or cached. A pool is a file that is mapped: in tmpfs its pages count as resident in each process that
 *   touched them
 */
function processMemory (pid = 'self') {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) * 1024
  return { own: bytes('RssAnon'), resident: bytes('VmRSS') }
}

module.exports = { OwnMeter, ThreadsMeter, processCpu, processMemory, threadCpu }
