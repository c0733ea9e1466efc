#!/usr/bin/env node
'use strict'

// Compares ways to number the writes of one database that several servers write to at a time:
// `node perf/bin/owners.js [--servers 3] [--clients 51] [--seconds 5] [--rounds 3] [--sync]`. A PostgreSQL of its own; the
// servers are processes, each with its share of the clients, who write one document after another.
//
//   owner      one server writes for all, in groups: a group is made of what comes while another is written, and is one
//              statement that checks the owner's token. The cost of passing requests on is not in it
//   head       each server writes its own groups, and each group moves the database's head from where it was seen on;
//              one that finds it elsewhere reads it and tries again
//   statement  each document by itself, numbered by the head that its statement locks

const { fork } = require('node:child_process')
const { once } = require('node:events')
const { Client, Pool } = require('pg')
const { PostgresServer } = require('../../test/support/postgres-server')
const { processorTime } = require('../lib/owners/processor-time')
const { writers } = require('../lib/owners/writers')
const { readOptions } = require('../lib/run/command-line')

const { values } = readOptions({
  options: {
    servers: { type: 'string', default: '3' },
    clients: { type: 'string', default: '51' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    sync: { type: 'boolean', default: false }
  }
})

const TABLES = [
  'CREATE TABLE entries (key bytea PRIMARY KEY, value bytea NOT NULL)',
  'CREATE TABLE heads (name text PRIMARY KEY, seq bigint NOT NULL)',
  'CREATE TABLE leases (name text PRIMARY KEY, token bigint NOT NULL)',
  "INSERT INTO heads VALUES ('db', 0)",
  "INSERT INTO leases VALUES ('db', 1)"
]

/** @param {string} url @param {string[]} statements */
async function send (url, statements) {
  const client = new Client(url)
  await client.connect()
  for (const text of statements) await client.query(text)
  await client.end()
}

/** One way for some seconds: documents a second, and µs of CPU for each. @param {PostgresServer} engine @param {string} way */
async function measure (engine, way) {
  await send(engine.url, ['TRUNCATE entries', 'UPDATE heads SET seq = 0'])
  const processes = way === 'owner' ? 1 : Number(values.servers)
  const clients = Math.round(Number(values.clients) / processes)
  const before = processorTime(engine.pid)
  const started = performance.now()
  const answers = await Promise.all(Array.from({ length: processes }, async (_, number) => {
    const child = fork(__filename, [], { env: { ...process.env, WRITER: JSON.stringify({ way, clients, number, url: engine.url, seconds: Number(values.seconds) }) } })
    const [answer] = await once(child, 'message')
    return answer
  }))
  const sum = name => answers.reduce((total, answer) => total + answer[name], 0)
  const seconds = (performance.now() - started) / 1000
  return { documents: sum('documents') / seconds, engine: (processorTime(engine.pid) - before) / sum('documents'), servers: sum('cpu') / sum('documents'), again: sum('again') / sum('groups') }
}

/** @param {number[]} numbers */
function median (numbers) { return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] }

async function main () {
  const settings = values.sync ? { fsync: 'on', full_page_writes: 'on' } : {}
  const engine = await PostgresServer.start({ settings })
  try {
    await send(engine.url, TABLES)
    const rounds = []
    for (let round = 0; round < Number(values.rounds); round++) for (const way of Object.keys(writers)) rounds.push({ way, ...await measure(engine, way) })
    console.log('way        documents/s  engine µs/doc  servers µs/doc  groups tried again')
    for (const way of Object.keys(writers)) {
      const of = name => median(rounds.filter(round => round.way === way).map(round => round[name]))
      console.log(`${way.padEnd(10)} ${of('documents').toFixed(0).padStart(11)} ${of('engine').toFixed(0).padStart(14)} ${of('servers').toFixed(0).padStart(15)} ${(100 * of('again')).toFixed(0).padStart(18)} %`)
    }
  } finally {
    await engine.stop()
  }
}

/** A server: its clients write until the time is over. */
async function serve ({ way, clients, number, url, seconds }) {
  const pool = new Pool({ connectionString: url, max: way === 'statement' ? clients : 1 })
  const writer = writers[way](pool)
  const before = process.cpuUsage()
  const end = performance.now() + 1000 * seconds
  let documents = 0
  await Promise.all(Array.from({ length: clients }, async (_, who) => {
    for (let i = 0; performance.now() < end; i++) {
      await writer.write(`${number}-${who}-${i}`, 'x'.repeat(200))
      documents++
    }
  }))
  const { user, system } = process.cpuUsage(before)
  await pool.end()
  process.send({ documents, cpu: user + system, groups: writer.groups, again: writer.again }, () => process.disconnect())
}

if (process.env.WRITER === undefined) main()
else serve(JSON.parse(process.env.WRITER))
