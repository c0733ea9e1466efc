#!/usr/bin/env node
'use strict'

// Measures the cost of each kind of request: `node perf/bin/requests.js [--only PATTERN] [--rounds N] [--warm-up SECONDS]
// [--connections 1,10,50] [--workers 1,2] [--beside CHECKOUT] [--markdown] [--short] [--from FILE]`. Potoroo on a pool in /dev/shm,
// express-pouchdb on LevelDB, and the CouchDB of COUCHDB_URL (http://name:password@host:port) whose beam.smp
// is COUCHDB_PID, take turns in one run. Figures go to perf/results.

const fs = require('node:fs')
const path = require('node:path')
const { describeMachine } = require('../lib/report/machine')
const { choose, readOptions } = require('../lib/run/command-line')
const { Scratch } = require('../lib/run/scratch')
const { shapes } = require('../lib/requests/shapes')
const { compare } = require('../lib/requests/compare')
const { peers } = require('../lib/requests/peers')
const { render } = require('../lib/requests/report')

const { values } = readOptions({
  options: {
    only: { type: 'string', default: '' },
    servers: { type: 'string', default: '' },
    rounds: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '1' },
    connections: { type: 'string', default: '1,10,50' },
    workers: { type: 'string', default: '1' },
    beside: { type: 'string' },
    markdown: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    from: { type: 'string' }
  }
})

const numbers = text => text.split(',').map(Number)

async function main () {
  if (values.from !== undefined) return print(JSON.parse(fs.readFileSync(values.from, 'utf8')))
  const chosen = choose(shapes, values.only)
  const servers = choose(peers({ workers: numbers(values.workers), beside: values.beside }), values.servers, { option: '--servers' })
  const scratch = new Scratch({ tmpfs: '/dev/shm' })
  const machine = describeMachine()
  const figures = []
  const options = { rounds: Number(values.rounds), warmUp: Number(values['warm-up']), connections: numbers(values.connections), folder: () => scratch.folder('tmpfs'), log: text => process.stderr.write(`${text}\n`) }
  try {
    for (const shape of chosen) figures.push(...await compare(servers, shape, options))
  } finally {
    scratch.remove()
  }
  const results = path.join(__dirname, '../results')
  fs.mkdirSync(results, { recursive: true })
  const file = path.join(results, `requests-${machine.time.replace(/[:.]/g, '-')}.json`)
  fs.writeFileSync(file, JSON.stringify({ machine, rounds: options.rounds, figures }, null, 2))
  print({ machine, rounds: options.rounds, figures })
  process.stderr.write(`Figures: ${file}\n`)
}

function print ({ machine: { cpu, cores, node, platform, time, load }, rounds, figures }) {
  process.stdout.write(`${render(figures, values)}\n\n${cpu}, ${cores} cores, Node.js ${node}, ${platform}, ${time.slice(0, 10)}; median of ${rounds} rounds, load ${load.toFixed(1)} at the start\n`)
}

main().catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
