#!/usr/bin/env node
'use strict'

// Measures the cost of databases of one document, through PouchDB's face: `node perf/bin/databases.js
// [--count N] [--rounds N] [--folder FOLDER]`. Each round makes the databases with each adapter in a process of
// its own, the adapters taking turns; figures are medians. It fails where one more database on a pool
// takes more than 3 ms or 1 MiB.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { median } = require('../lib/report/statistics')
const { formatTable } = require('../lib/report/tables')
const { readOptions } = require('../lib/run/command-line')

const { values } = readOptions({
  options: {
    count: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string', default: '/dev/shm' }
  }
})

const ADAPTERS = ['pmem', 'classic-level', 'memory-level', 'leveldb', 'memory']
const MIB = 2 ** 20

function measure (adapter) {
  const folder = fs.mkdtempSync(path.join(values.folder, 'potoroo-databases-'))
  try {
    const subject = path.join(__dirname, '../lib/subjects/databases.js')
    return JSON.parse(execFileSync(process.execPath, [subject, adapter, folder, values.count], { env: { PMEM_IS_PMEM_FORCE: '1', ...process.env } }).toString())
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function main () {
  const rounds = Array.from({ length: Number(values.rounds) }, () => ADAPTERS.map(measure))
  const figure = (adapter, part, what) => median(rounds.map(round => round[ADAPTERS.indexOf(adapter)][part][what]))
  const ms = (adapter, part) => `${figure(adapter, part, 'cpu').toFixed(1)} ms`
  const kib = (adapter, what) => `${(figure(adapter, 'more', what) / 1024).toFixed(0)} KiB`
  const mib = (adapter, part, what) => `${(figure(adapter, part, what) / MIB).toFixed(1)} MiB`
  console.log(formatTable([
    ['', 'first, CPU', 'files', 'one more, CPU', 'files', 'RSS', `all ${Number(values.count) + 1}, files`, 'RSS of the process'],
    ...ADAPTERS.map(adapter => [adapter, ms(adapter, 'first'), mib(adapter, 'first', 'bytes'), ms(adapter, 'more'), kib(adapter, 'bytes'),
      kib(adapter, 'rss'), mib(adapter, 'total', 'bytes'), mib(adapter, 'total', 'rss')])
  ], { markdown: true }))
  if (figure('pmem', 'more', 'cpu') > 3 || figure('pmem', 'more', 'bytes') > MIB) process.exitCode = 1
}

main()
