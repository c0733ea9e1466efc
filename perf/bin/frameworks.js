#!/usr/bin/env node
'use strict'

// node perf/bin/frameworks.js [--rounds N] [--requests N] prints what TechEmpower's six requests cost by its rules: an application on
// node:http whose documents are objects in a pool of its own process, beside node:http, express and fastify over PostgreSQL. µs of CPU time a
// request, PostgreSQL's counted in; ten connections; the servers take turns. Data are in /dev/shm.

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { PostgresServer } = require('../../test/support/postgres-server')
const { ADDED } = require('../lib/frameworks/world')
const { Client } = require('../lib/http/client')
const { describeMachine } = require('../lib/report/machine')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')
const { processCpu } = require('../lib/run/meters')

const { values } = readOptions({ options: { rounds: { type: 'string', default: '9' }, requests: { type: 'string', default: '500' } } })

const PEERS = [
  { name: 'node:http, documents as objects', framework: 'node:http', kind: 'documents' },
  { name: 'node:http, PostgreSQL', framework: 'node:http', kind: 'pg' },
  { name: 'fastify, PostgreSQL', framework: 'fastify', kind: 'pg' },
  { name: 'express 4, PostgreSQL', framework: 'express', kind: 'pg' }
]

const isWorlds = text => JSON.parse(text).length === 20

/** Requests by name: a path, and whether an answer is right. */
const SHAPES = {
  plaintext: ['/plaintext', text => text === 'Hello, World!'],
  JSON: ['/json', text => text === '{"message":"Hello, World!"}'],
  'one query': ['/db', text => JSON.parse(text).randomNumber > 0],
  '20 queries': ['/queries?queries=20', isWorlds],
  fortunes: ['/fortunes', text => text.includes(ADDED) && text.includes('&lt;script&gt;')],
  '20 updates': ['/updates?queries=20', isWorlds]
}

class Peer {
  costs = {}

  static async start ({ name, framework, kind }, folder) {
    const peer = Object.assign(new Peer(), { name, database: kind === 'pg' ? await PostgresServer.start({ settings: { fsync: 'on', synchronous_commit: 'on' } }) : undefined })
    const place = peer.database?.url ?? folder
    peer.child = fork(path.join(__dirname, '../lib/frameworks/server-child.js'), [framework, kind, place], { execArgv: ['--expose-gc'], env: { ...process.env, PMEM_IS_PMEM_FORCE: '1' } })
    const [{ url }] = await once(peer.child, 'message')
    peer.client = new Client(url, 10)
    return peer
  }

  /** µs of CPU time so far. */
  get cpu () { return processCpu(this.child.pid) + (this.database === undefined ? 0 : processCpu(this.database.pid)) }

  /** Does requests; those of the first rounds warm up. */
  async turn (shape, requests) {
    const [url, isRight] = SHAPES[shape]
    if (this.costs[shape] === undefined) await this.#collect()
    const before = this.cpu
    await this.client.concurrently(0, requests, async () => {
      const text = String(await this.client.request('GET', url))
      if (!isRight(text)) throw new Error(`${this.name}, ${url}: ${text}`)
    })
    ;(this.costs[shape] ??= []).push((this.cpu - before) / requests)
  }

  /** Before the first round: V8 drops compiled code when it is told to collect. */
  async #collect () {
    this.child.send('collect')
    await once(this.child, 'message')
  }

  async close () {
    this.client.close()
    this.child.kill()
    await once(this.child, 'close')
    await this.database?.stop()
  }
}

async function main () {
  const folder = fs.mkdtempSync('/dev/shm/potoroo-frameworks-')
  const peers = []
  const rounds = Number(values.rounds)
  try {
    for (const each of PEERS) peers.push(await Peer.start(each, folder))
    for (const shape of Object.keys(SHAPES)) for (let round = 0; round < rounds; round++) for (const peer of peers) await peer.turn(shape, Number(values.requests))
    console.log(`| µs of CPU time a request | ${peers.map(({ name }) => name).join(' | ')} |\n| --- |${' ---: |'.repeat(peers.length)}`)
    for (const shape of Object.keys(SHAPES)) {
      const figures = peers.map(({ costs }) => median(costs[shape].slice(Math.floor(rounds / 3))))
      console.log(`| ${shape} | ${figures.map((each, i) => i === 0 ? each.toFixed(0) : `${each.toFixed(0)} (× ${(each / figures[0]).toFixed(1)})`).join(' | ')} |`)
    }
    const { cpu, cores, node, time, load } = describeMachine()
    console.log(`\n${cpu}, ${cores} cores, Node.js ${node}, ${time.slice(0, 10)}; median of ${rounds} rounds, load ${load.toFixed(1)} at the start`)
  } finally {
    for (const peer of peers) await peer.close()
    fs.rmSync(folder, { recursive: true })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
