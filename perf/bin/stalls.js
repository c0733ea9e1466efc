#!/usr/bin/env node
'use strict'

// How long one request keeps a server from everybody else: `node perf/bin/stalls.js [--only PATTERN]
// [--rounds N] [--storage NAME] [--markdown]`. Each body of perf/lib/stalls/bodies.js is sent to a server of
// its own, beside somebody who reads a document all the while. The figure is the longest time of CPU that the
// server's event loop was busy in one go, the least of the rounds: what else goes on can only lengthen it.

const { parseArgs } = require('node:util')
const { largeBodies } = require('../lib/stalls/bodies')
const { measure } = require('../lib/stalls/measure')
const { formatTable } = require('../lib/table')

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'pmem' },
    markdown: { type: 'boolean', default: false }
  }
})

async function best (body) {
  let least
  for (let round = 0; round < Number(values.rounds); round++) {
    const figures = await measure(body, values.storage)
    if (least === undefined || figures.stall < least.stall) least = figures
  }
  return least
}

function toRow ({ what, count }, { status, megabytes, stall }) {
  return [`${count.toLocaleString('en')} ${what}`, megabytes.toFixed(1), String(status), `${stall.toFixed(0)} ms`]
}

async function main () {
  const rows = [['body', 'MB', 'status', 'longest stall']]
  for (const body of largeBodies.filter(({ name }) => new RegExp(values.only).test(name))) {
    rows.push(toRow(body, await best(body)))
    process.stderr.write(`${body.name}: ${rows.at(-1)?.at(-1)}\n`)
  }
  process.stdout.write(`${formatTable(rows, values)}\n`)
}

main().catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
