#!/usr/bin/env node
'use strict'

// Measures how costs grow: `node perf/bin/growth.js [--documents 10000,100000,1000000] [--databases 1,100,1000,10000]
// [--feeds 1,100,1000,10000] [--seconds N] [--bare] [--publish]`. It prints CSV: CPU of the server, in a process of its own on a pool in
// /dev/shm, its memory and its files. An empty list leaves a curve out. `ulimit -n` has to allow as many descriptors as there are
// feeds, and some. With --bare there are no views and no index, which take two thirds of the memory that many documents need. With --publish the curves of this run take their places in perf/results/published/growth.json.

const { measureDatabases } = require('../lib/growth/databases')
const { measureDocuments } = require('../lib/growth/documents')
const { measureFeeds } = require('../lib/growth/feeds')
const { Figures, toCsv } = require('../lib/growth/figures')
const { publishGrowth } = require('../lib/published/growth')
const { describeMachine } = require('../lib/report/machine')
const { readOptions } = require('../lib/run/command-line')
const { Scratch } = require('../lib/run/scratch')

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '10000,100000,1000000' },
    databases: { type: 'string', default: '1,100,1000,10000' },
    feeds: { type: 'string', default: '1,100,1000,10000' },
    seconds: { type: 'string', default: '1' },
    bare: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false }
  }
})

const CURVES = { documents: measureDocuments, databases: measureDatabases, feeds: measureFeeds }

async function main () {
  const scratch = new Scratch({ tmpfs: '/dev/shm' })
  const all = []
  try {
    for (const [over, measure] of Object.entries(CURVES)) {
      for (const size of values[over].split(',').filter(Boolean).map(Number)) {
        const figures = new Figures(over, size, text => process.stderr.write(`${text}\n`))
        await measure(size, figures, { folder: scratch.folder('tmpfs'), seconds: Number(values.seconds), bare: values.bare })
        all.push(...figures.all)
        // A pool in tmpfs is memory.
        scratch.remove()
      }
    }
  } finally {
    scratch.remove()
  }
  process.stdout.write(toCsv(all))
  if (values.publish) publishGrowth(all, describeMachine())
}

main().catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
