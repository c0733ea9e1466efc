#!/usr/bin/env node
'use strict'

// Measures the cost of encryption: put, batch and get of a pool with a key, beside one without, in one alternating
// run. CPU time of this process, µs an operation: the median of ROUNDS rounds (default 15).
//   node perf/bin/encryption.js

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Pool } = require('pmemobj')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = Number(process.env.ROUNDS ?? 15)
const ENTRIES = 100_000
const OPERATIONS = 4000
const BATCH = 100
const value = Buffer.alloc(200, 'v')

let seed = 1
const random = () => (seed = (seed * 48271) % 2147483647)
const keyOf = number => `key ${String(number * 7919 % (ENTRIES * 10)).padStart(12, '0')}`

/** µs of CPU for each operation. */
function cost (count, work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

function measure (map) {
  const some = Array.from({ length: OPERATIONS }, () => keyOf(random() % ENTRIES))
  return {
    'durable put': cost(OPERATIONS, () => { for (const key of some) map.put(key, value) }),
    [`batch of ${BATCH}, a put`]: cost(OPERATIONS, () => {
      for (let i = 0; i < OPERATIONS; i += BATCH) map.batch(some.slice(i, i + BATCH).flatMap(key => ['put', key, value]))
    }),
    get: cost(OPERATIONS, () => { for (const key of some) map.get(key, { encoding: 'buffer' }) })
  }
}

function main () {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-encryption-'))
  try {
    const pools = [undefined, Buffer.alloc(32, 'k')].map((key, i) => Pool.create(path.join(folder, String(i)), { key }))
    const maps = pools.map(pool => pool.map('map'))
    for (const map of maps) {
      for (let i = 0; i < ENTRIES; i += 1000) map.batch(Array.from({ length: 1000 }, (_, j) => ['put', keyOf(i + j), value]).flat())
    }
    for (const map of maps) measure(map)
    const rounds = Array.from({ length: ROUNDS }, () => maps.map(measure))
    for (const what of Object.keys(rounds[0][0])) {
      const [plain, encrypted] = [0, 1].map(which => median(rounds.map(round => round[which][what])))
      const ratio = median(rounds.map(round => round[1][what] / round[0][what]))
      console.log(`${what.padEnd(22)} ${plain.toFixed(2)} µs, encrypted ${encrypted.toFixed(2)} µs: × ${ratio.toFixed(2)}`)
    }
    for (const pool of pools) pool.close()
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

main()
