#!/usr/bin/env node
'use strict'

// Times how a pool is backed up, restored, dumped and loaded: `node perf/bin/backup.js`. It runs in
// /dev/shm with PMEM_IS_PMEM_FORCE=1 in the place of persistent memory, or where the first argument
// says. Each round does each of them once; figures are medians, of CPU time and of the clock.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

const ENTRIES = 500_000
const VALUE = 200
const LARGE = 8
const LARGE_VALUE = 32 * 2 ** 20
const ROUNDS = 5
const BATCH = 1000

const { positionals: [disk] } = readOptions({ allowPositionals: true })
const emulated = disk === undefined
if (emulated) process.env.PMEM_IS_PMEM_FORCE = '1'
const { Pool } = require('pmemobj')

/** Small values as documents have them, in the order of a hash; or large ones, as attachments are. */
const shapes = {
  [`${ENTRIES} entries of 16 + ${VALUE} bytes`] (map) {
    for (let i = 0; i < ENTRIES; i += BATCH) {
      const operations = []
      for (let j = i; j < i + BATCH; j++) operations.push('put', Buffer.alloc(16, `${Math.imul(j, 2654435761) >>> 0}`), Buffer.alloc(VALUE, j))
      map.batch(operations)
    }
  },
  [`${LARGE} entries of ${LARGE_VALUE / 2 ** 20} MiB`] (map) {
    for (let i = 0; i < LARGE; i++) map.put(`${i}`, Buffer.alloc(LARGE_VALUE, i + 1))
  }
}

async function timed (work) {
  const [before, began] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1e6, wall: (performance.now() - began) / 1000 }
}

/** Returns the steps that are timed, in an order in which each finds what it needs. */
function steps (pool, folder) {
  const [backup, dump, copy] = ['backup', 'dump', 'copy'].map(name => path.join(folder, name))
  const read = file => fs.createReadStream(file, { highWaterMark: 256 * 1024 })
  const made = make => async () => {
    await make()
    Pool.destroy(copy)
  }
  return {
    backup: () => pool.backupTo(backup),
    restore: made(() => Pool.restore(copy, read(backup))),
    dump: () => pipeline(pool.dump(), fs.createWriteStream(dump)),
    load: made(() => Pool.load(copy, read(dump)))
  }
}

async function measure (shape, folder) {
  const pool = Pool.open(path.join(folder, 'pool'))
  shapes[shape](pool.map('a'))
  const work = steps(pool, folder)
  const samples = Object.fromEntries(Object.keys(work).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, step] of Object.entries(work)) samples[name].push(await timed(step))
  }
  const { size } = fs.statSync(path.join(folder, 'backup'))
  pool.close()
  return { size, samples }
}

function report (shape, { size, samples }) {
  console.log(`\n${shape}: ${(size / 1e6).toFixed(0)} MB in a backup`)
  for (const [name, runs] of Object.entries(samples)) {
    const [cpu, wall] = [median(runs.map(run => run.cpu)), median(runs.map(run => run.wall))]
    const rate = seconds => `${(size / 1e6 / seconds).toFixed(0)} MB/s`
    const each = shape.startsWith(`${ENTRIES} `) ? `, ${(cpu / ENTRIES * 1e6).toFixed(2)} µs CPU an entry` : ''
    console.log(`${name.padEnd(8)} ${cpu.toFixed(2)} s CPU (${rate(cpu)}), ${wall.toFixed(2)} s by the clock (${rate(wall)})${each}`)
  }
}

async function main () {
  const folder = fs.mkdtempSync(path.join(emulated ? '/dev/shm' : disk, 'potoroo-perf-'))
  try {
    console.log(`${os.cpus()[0].model}, ${os.cpus().length} cores, Node.js ${process.version}, ${emulated ? 'emulated persistent memory' : disk}`)
    for (const [i, shape] of Object.keys(shapes).entries()) {
      const place = path.join(folder, `${i}`)
      fs.mkdirSync(place)
      report(shape, await measure(shape, place))
      fs.rmSync(place, { recursive: true })
    }
    console.log(`\nmost memory in use: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB, pools on tmpfs included`)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

main()
