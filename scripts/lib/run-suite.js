'use strict'

const { spawn } = require('node:child_process')
const { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, openSync, closeSync } = require('node:fs')
const path = require('node:path')
const { readCounts } = require('./counts')
const { root } = require('./node-modules')

const testLogs = path.join(root, 'build/test-logs')

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number, cpuSeconds: number | null, log: string, problem?: string }} Result
 *   cpuSeconds: of all its processes that were waited for; null where the system does not tell */

/**
 * Runs one suite in a process group of its own, with its output in a log file and a temporary
 * folder that is removed afterwards.
 *
 * @param {import('./suites').Suite} suite
 * @param {{ temporary: string, logs?: string }} options folders: for temporary folders, for logs
 * @returns {Promise<Result>}
 */
async function runSuite (suite, { temporary, logs = testLogs }) {
  mkdirSync(logs, { recursive: true })
  const log = path.join(logs, `${suite.name}.log`)
  const folder = mkdtempSync(path.join(temporary, 'potoroo-test-'))
  // Another user runs PostgreSQL, in a folder of its own in there.
  chmodSync(folder, 0o711)
  const started = process.hrtime.bigint()
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', remove)
  try {
    const countsFile = path.join(folder, 'counts.json')
    const end = await runProcess(suite, { log, env: { TMPDIR: folder, TEST_COUNTS_FILE: countsFile } })
    const counts = readCounts(suite.counts, { status: end.status, output: readFileSync(log, 'utf8'), countsFile })
    const seconds = Number(process.hrtime.bigint() - started) / 1e9
    return { name: suite.name, ...counts, seconds, cpuSeconds: end.cpuSeconds, log, ...(end.problem && { problem: end.problem, failed: counts.failed || 1 }) }
  } finally {
    process.removeListener('exit', remove)
    remove()
  }
}

/**
 * Runs suites side by side, beginning in their order.
 *
 * @param {import('./suites').Suite[]} suites
 * @param {Parameters<typeof runSuite>[1] & { sideBySide: number, onEnd: (suite: import('./suites').Suite, result: Result) => void }} options
 *   onEnd: hears of each that has ended, as soon as it has
 * @returns {Promise<Result[]>} in the order of the suites
 */
async function runSuites (suites, { sideBySide, onEnd, ...options }) {
  /** @type {Result[]} */
  const results = []
  const waiting = suites.entries()
  await Promise.all(Array.from({ length: sideBySide }, async () => {
    for (const [index, suite] of waiting) {
      results[index] = await runSuite(suite, options)
      onEnd(suite, results[index])
    }
  }))
  return results
}

/** Linux counts CPU time in hundredths of a second for programs, whatever its own clock. */
const TICKS_PER_SECOND = 100

/** @returns {number | null} seconds of CPU, user and system, of all children of this process that have ended, with theirs */
function cpuSecondsOfChildren () {
  if (!existsSync('/proc/self/stat')) return null
  const text = readFileSync('/proc/self/stat', 'latin1')
  // The name of the program, in parentheses, may have spaces. The children's are the 14th and 15th fields after it.
  const [user, system] = text.slice(text.lastIndexOf(')') + 2).split(' ').slice(13, 15).map(Number)
  return (user + system) / TICKS_PER_SECOND
}

/** A child is waited for between two looks: what was added is its own, and seldom also that of another one. */
let counted = cpuSecondsOfChildren()

function cpuSecondsSince () {
  const before = counted
  counted = cpuSecondsOfChildren()
  return before === null || counted === null ? null : counted - before
}

/**
 * @param {import('./suites').Suite} suite
 * @param {{ log: string, env: Record<string, string> }} options
 * @returns {Promise<{ status: number | null, cpuSeconds: number | null, problem?: string }>}
 */
function runProcess (suite, { log, env }) {
  const file = openSync(log, 'w')
  const [command, ...words] = suite.command
  const child = spawn(command, words, {
    cwd: path.join(root, suite.folder ?? '.'),
    env: { ...process.env, ...suite.env, ...env },
    stdio: ['ignore', file, file],
    detached: true
  })
  closeSync(file)
  const stop = () => killGroup(child.pid)
  // Before the folder goes, see runSuite.
  process.prependOnceListener('exit', stop)
  return new Promise(resolve => {
    /** @type {string | undefined} */
    let problem
    const timer = setTimeout(() => {
      problem = `took longer than ${suite.minutes} minutes`
      stop()
    }, suite.minutes * 60_000)
    const finish = (/** @type {{ status: number | null, cpuSeconds: number | null, problem?: string }} */ end) => {
      clearTimeout(timer)
      process.removeListener('exit', stop)
      // Processes that the suite left running would disturb the next one.
      stop()
      resolve({ ...end, problem: problem ?? end.problem })
    }
    child.once('error', error => finish({ status: null, cpuSeconds: null, problem: error.message }))
    child.once('exit', (status, signal) => finish({ status, cpuSeconds: cpuSecondsSince(), problem: signal ? `ended by ${signal}` : undefined }))
  })
}

/** @param {number | undefined} pid */
function killGroup (pid) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

module.exports = { runSuite, runSuites }
