'use strict'

// `npm test`: all suites, a line for each that has ended, a table, and one closing line. `--only NAME`
// (may be given again) runs one of them, `--list` names them. One more than there are cores, but no more than three,
// run side by side, as most keep one core busy and wait now and then; `--jobs NUMBER` runs more, or one after another.

const { readFileSync, statfsSync, existsSync } = require('node:fs')
const os = require('node:os')
const { parseArgs } = require('node:util')
const { runSuites } = require('./lib/run-suite')
const { suites } = require('./lib/suites')

/**
 * @typedef {import('./lib/run-suite').Result} Result
 * @typedef {import('./lib/suites').Suite} Suite
 * @typedef {'passed' | 'failed' | 'skipped'} Counter
 */

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' }, jobs: { type: 'string', default: String(Math.min(os.availableParallelism() + 1, 3)) } }
})

/** Pools in tmpfs are as fast as persistent memory; a container's /dev/shm may be too small for them. */
function temporaryFolder () {
  if (!existsSync('/dev/shm')) return os.tmpdir()
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : os.tmpdir()
}

function chosenSuites () {
  const unknown = (options.only ?? []).filter(name => !suites.some(suite => suite.name === name))
  if (unknown.length > 0) throw new Error(`No such suite: ${unknown.join(', ')}. There are: ${suites.map(suite => suite.name).join(', ')}`)
  return options.only ? suites.filter(suite => options.only?.includes(suite.name)) : suites
}

function chosenJobs () {
  const jobs = Number(options.jobs)
  if (!Number.isSafeInteger(jobs) || jobs < 1) throw new Error(`--jobs takes a number from 1 on, not ${options.jobs}`)
  return jobs
}

/** @param {Pick<Result, 'cpuSeconds'>} result */
function describeCpu ({ cpuSeconds }) {
  return cpuSeconds === null ? '' : `, ${cpuSeconds.toFixed(1)} s of CPU`
}

/** @param {Pick<Result, Counter>} counts */
function describeCounts ({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/**
 * Returns the part of a failed suite's log that matters: mocha's list of failures, TAP's, or its end.
 *
 * @param {Suite} suite
 * @param {Result} result
 */
function failureText (suite, result) {
  const lines = readFileSync(result.log, 'utf8').split('\n')
  const summary = lines.findLastIndex(line => /^ +\d+ passing/.test(line))
  if (summary !== -1) return lines.slice(summary, summary + 300).join('\n')
  if (suite.counts !== 'tap') return lines.slice(-100).join('\n')
  const wanted = lines.flatMap((line, index) => line.startsWith('not ok') ? lines.slice(index, index + 25) : [])
  return (wanted.length > 0 ? wanted.slice(0, 200) : lines.slice(-80)).join('\n')
}

/** @param {Suite} suite @param {Result} result */
function printResult (suite, result) {
  console.log(`${suite.name}: ${suite.what} … ${describeCounts(result)}${result.problem ? ` (${result.problem})` : ''}, ${result.seconds.toFixed(1)} s${describeCpu(result)}`)
  if (result.failed > 0) console.log(`\n${failureText(suite, result)}\n(all of it: ${result.log})\n`)
}

/** @param {Result[]} results */
function printTable (results) {
  const rows = results.map(result => [
    result.name, String(result.passed), String(result.failed), String(result.skipped), `${result.seconds.toFixed(1)} s`,
    result.cpuSeconds === null ? '' : `${result.cpuSeconds.toFixed(1)} s`, result.problem ?? ''
  ])
  const table = [['suite', 'passed', 'failed', 'skipped', 'time', 'CPU', ''], ...rows]
  const widths = table[0].map((_, column) => Math.max(...table.map(row => row[column].length)))
  for (const row of table) {
    console.log(row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])).join('  ').trimEnd())
  }
}

async function main () {
  if (options.list) return console.log(suites.map(suite => suite.name).join('\n'))
  const results = await runSuites(chosenSuites(), { sideBySide: chosenJobs(), temporary: temporaryFolder(), onEnd: printResult })
  console.log()
  printTable(results)
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const result of results) {
    for (const key of /** @type {Counter[]} */ (Object.keys(total))) total[key] += result[key]
  }
  console.log(`\n${describeCounts(total)}`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
