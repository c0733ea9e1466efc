#!/usr/bin/env node
'use strict'

// How long one request keeps a server from everybody else: `node perf/bin/stalls.js [--only PATTERN]
// [--rounds N] [--storage NAME] [--markdown]`. Each body of perf/lib/stalls/bodies.js is sent to a server of
// its own, beside somebody who reads a document all the while. The figure is the longest time of CPU that the
// server's event loop was busy in one go, the least of the rounds: what else goes on can only lengthen it.

const { formatTable } = require('../lib/report/tables')
const { choose, readOptions } = require('../lib/run/command-line')
const { GOOD, largeBodies, prepare } = require('../lib/stalls/bodies')
const { SubjectServer } = require('../lib/subjects/subject-server')

const { values } = readOptions({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'pmem' },
    markdown: { type: 'boolean', default: false }
  }
})

/** Requests that V8 compiles the server's code with. */
const WARM_UP = 50

/**
 * Sends a body to a server of its own, beside somebody who reads a document all the while.
 *
 * @param {import('../lib/stalls/bodies').LargeBody} body
 * @param {string} storage
 * @returns {Promise<{ status: number, megabytes: number, stall: number }>} stall: milliseconds of CPU
 */
async function measure ({ name, count, target, text, statuses, before, headers }, storage) {
  const server = await SubjectServer.start(storage)
  try {
    await prepare((...request) => server.ask(...request))
    await before?.((...request) => server.ask(...request), count)
    for (let i = 0; i < WARM_UP; i++) await server.ask('GET', GOOD)
    const [method, path] = target.split(' ')
    const bytes = method === 'GET' ? undefined : Buffer.from(text(count))
    await server.call('watch')
    await server.call('reset')
    const { status } = await beside(server, server.send(method, path, bytes, headers))
    const stall = await server.call('stall')
    if (!statuses.includes(status)) throw new Error(`${name}: ${status}`)
    return { status, megabytes: (bytes?.length ?? 0) / 1e6, stall }
  } finally {
    await server.stop()
  }
}

/** @template T @param {SubjectServer} server @param {Promise<T>} sent */
async function beside (server, sent) {
  const over = new AbortController()
  const end = () => over.abort()
  sent.then(end, end)
  while (!over.signal.aborted) await server.ask('GET', GOOD)
  return sent
}

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
  for (const body of choose(largeBodies, values.only)) {
    rows.push(toRow(body, await best(body)))
    process.stderr.write(`${body.name}: ${rows.at(-1)?.at(-1)}\n`)
  }
  process.stdout.write(`${formatTable(rows, values)}\n`)
}

main().catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
