#!/usr/bin/env node
'use strict'

// How long durable writes take on an ordinary disk, by the clock: a pool beside LevelDB.
//
//   node perf/bin/disks.js FOLDER [--rounds N] [--seconds N] [--states new,warm,cold,churned] [--markdown]
//
// Each round runs each driver once, in a process of its own, on each shape of work; drivers take turns.
// `cold` drops the page cache before (as root), as a restart of the machine does; `churned` has had
// a million writes over the same keys. Figures are medians of the rounds.

const fs = require('node:fs')
const path = require('node:path')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const { median } = require('../lib/report/statistics')
const { formatTable } = require('../lib/report/tables')
const { readOptions, refuse } = require('../lib/run/command-line')
const { shapes } = require('../lib/subjects/disk-writer')

const states = ['new', 'warm', 'cold', 'churned']

const { positionals: [folder], values: options } = readOptions({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '0.5' },
    states: { type: 'string', default: states.join(',') },
    markdown: { type: 'boolean', default: false }
  }
})

const drivers = ['pmem-level', 'classic-level']

/** Returns the figures of one process: by shape, `{ p50, p999 }` in microseconds. */
async function run (driver, state, prepare) {
  if (state === 'cold') fs.writeFileSync('/proc/sys/vm/drop_caches', '3')
  const child = fork(path.join(__dirname, '../lib/subjects/disk-writer.js'), [driver, path.join(folder, `${state}-${driver}`), state, prepare ? '0' : options.seconds],
    { env: { ...process.env, PMEM_IS_PMEM_FORCE: '0' } })
  let figures
  child.on('message', message => { figures = message })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${driver} ended with ${code}`)
  return figures
}

async function measure (state) {
  const figures = { 'pmem-level': [], 'classic-level': [] }
  for (const driver of drivers) await run(driver, state, true)
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const driver of round % 2 === 0 ? drivers : [...drivers].reverse()) {
      figures[driver].push(await run(driver, state, false))
    }
  }
  return Object.keys(shapes).map(name => {
    const [ours, theirs] = drivers.map(driver => ({
      p50: median(figures[driver].map(round => round[name].p50)),
      p999: median(figures[driver].map(round => round[name].p999))
    }))
    return [state, name, ours.p50, theirs.p50, theirs.p50 / ours.p50, ours.p999, theirs.p999]
      .map(cell => typeof cell === 'number' ? cell.toPrecision(3) : cell)
  })
}

async function main () {
  if (!folder) refuse('Which folder, on which disk?')
  for (const state of options.states.split(',')) if (!states.includes(state)) refuse(`--states takes ${states.join(', ')}, not ${state}`)
  const rows = [['database', 'work', 'pool, p50 µs', 'LevelDB', 'LevelDB/pool', 'pool, p99.9 µs', 'LevelDB']]
  for (const state of options.states.split(',')) rows.push(...await measure(state))
  console.log(formatTable(rows, options))
}

main()
