'use strict'

const { existsSync, readFileSync } = require('node:fs')

/**
 * How a suite's result is read. Each takes what the child process left and gives counts, or null
 * where it left none: then the suite did not run to its end.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ status: number | null, output: string, countsFile: string }} Result
 * @type {Record<'file' | 'tap' | 'lines' | 'exit', (result: Result) => Counts | null>}
 */
const readers = {
  /** The child wrote its counts as JSON to the file that TEST_COUNTS_FILE names. */
  file ({ countsFile }) {
    return existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : null
  },

  /** The child printed the Test Anything Protocol, with its plan: without one it ended early. */
  tap ({ output }) {
    const plan = /^1\.\.(\d+)/m.exec(output)
    if (plan === null) return null
    const lines = output.split('\n').filter(line => /^(not )?ok\b/.test(line))
    if (lines.length !== Number(plan[1])) return null
    const skipped = lines.filter(line => /# skip/i.test(line)).length
    const failed = lines.filter(line => line.startsWith('not ') && !/# (todo|skip)/i.test(line)).length
    return { passed: lines.length - failed - skipped, failed, skipped }
  },

  /** The child printed `name ... ok` for each test, stopped at the first failure, and counted at the end. */
  lines ({ status, output }) {
    const passed = output.split('\n').filter(line => /\.\.\..* ok \(\d/.test(line)).length
    const counted = /^(\d+) tests passed$/m.exec(output)
    if (status === 0 && Number(counted?.[1]) !== passed) return null
    return { passed, failed: status === 0 ? 0 : 1, skipped: 0 }
  },

  /** The child is one check: it passes when it exits with 0. */
  exit ({ status }) {
    return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
  }
}

/**
 * Trusts neither side alone: a child that fails without a failed test, or that ran no test at all,
 * has failed too.
 *
 * @param {'file' | 'tap' | 'lines' | 'exit'} form
 * @param {Result} result
 * @returns {Counts & { problem?: string }}
 */
function readCounts (form, result) {
  const counts = readers[form](result)
  if (counts === null) return { passed: 0, failed: 1, skipped: 0, problem: 'did not run to its end' }
  if (counts.passed + counts.failed === 0) return { ...counts, failed: 1, problem: 'ran no tests' }
  if (result.status !== 0 && counts.failed === 0) return { ...counts, failed: 1, problem: `exited with ${result.status}` }
  return counts
}

module.exports = { readCounts }
