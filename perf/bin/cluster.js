#!/usr/bin/env node
'use strict'

// Measures servers that share a PostgreSQL: `node perf/bin/cluster.js [--seconds 4] [--publish]`. At 1, 2 and 3 servers, 1
// and 16 databases, of 1 shard and of 8: 4 clients write 1000 documents at a time, 50 clients put single documents and
// get them, each by one of the servers in turn. Then a document is got, put and a database asked for by the owner and by
// another server: what passing a request costs. Beside these, bare queries of `pg`. µs of CPU are told of the servers and
// of PostgreSQL, which syncs each commit, apart. With --publish the figures are kept in perf/results/published, for
// `node perf/bin/report.js` to write them into docs/scale-out.md.

const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('pg')
const { PostgresServer } = require('../../test/support/postgres-server')
const { Servers } = require('../lib/cluster/servers')
const { describeMachine } = require('../lib/report/machine')
const { readOptions } = require('../lib/run/command-line')

const { values } = readOptions({ options: { seconds: { type: 'string', default: '4' }, publish: { type: 'boolean', default: false } } })
const SECONDS = Number(values.seconds)
const CLIENTS = 50
const WRITERS = 4
const TEXT = 'x'.repeat(200)
const DOCUMENT = JSON.stringify({ text: TEXT })
const PUBLISHED = path.join(__dirname, '../results/published/cluster.json')

/** @param {import('../lib/cluster/servers').Figures} figures */
function inWords ({ rate, servers, engine }) {
  const own = servers.reduce((sum, time) => sum + time, 0)
  return `${rate.toFixed(0).padStart(7)}/s ${own.toFixed(0).padStart(5)} + ${engine.toFixed(0).padStart(4)} µs`
}

/** @param {string} prefix of the ids */
function thousand (prefix) {
  return JSON.stringify({ docs: Array.from({ length: 1000 }, (_, i) => ({ _id: `${prefix}-${i}`, text: TEXT })) })
}

/** @param {Servers} servers @param {number} databases @param {number} q */
async function measure (servers, databases, q) {
  const names = Array.from({ length: databases }, (_, i) => `db-${servers.count}-${databases}-${q}-${i}`)
  for (const name of names) await servers.ask(0, 0, 'PUT', `/${name}?q=${q}`)
  const serverOf = (/** @type {number} */ client, /** @type {number} */ i) => (client + i) % servers.count
  const nameOf = (/** @type {number} */ client, /** @type {number} */ i) => names[(client + i) % names.length]
  const counts = new Array(CLIENTS).fill(0)
  const bulk = (/** @type {number} */ client, /** @type {number} */ i) => servers.ask(serverOf(client, i), client, 'POST', `/${nameOf(client, i)}/_bulk_docs`, thousand(`bulk-${client}-${counts[client]++}`))
  const put = (/** @type {number} */ client, /** @type {number} */ i) => servers.ask(serverOf(client, i), client, 'PUT', `/${nameOf(client, i)}/${client}-${counts[client]++}`, DOCUMENT)
  // Takes the databases, and warms up.
  await servers.load({ seconds: SECONDS / 4, clients: CLIENTS }, put)
  const size = servers.size
  const bulks = await servers.load({ seconds: SECONDS, clients: WRITERS, units: 1000 }, bulk)
  const bytes = (servers.size - size) / (bulks.rate * SECONDS)
  counts.fill(0)
  const puts = await servers.load({ seconds: SECONDS, clients: CLIENTS }, (client, i) => servers.ask(serverOf(client, i), client, 'PUT', `/${nameOf(client, i)}/put-${client}-${counts[client]++}`, DOCUMENT))
  const gets = await servers.load({ seconds: SECONDS, clients: CLIENTS }, (client, i) => servers.ask(serverOf(client, i), client, 'GET', `/${nameOf(client, i % counts[client])}/put-${client}-${i % counts[client]}`))
  console.log(`${String(servers.count).padStart(7)} ${String(databases).padStart(9)} ${String(q).padStart(6)}   ${inWords(bulks)}   ${inWords(puts)}   ${inWords(gets)}   ${bytes.toFixed(0)} bytes`)
  return { servers: servers.count, databases, q, bulks, puts, gets, bytes }
}

/** Lets V8 compile what the new server will do. @param {Servers} servers */
async function warmUp (servers) {
  const name = `warm-${servers.count}`
  await servers.ask(0, 0, 'PUT', `/${name}`)
  const all = { seconds: SECONDS / 2, clients: CLIENTS }
  let count = 0
  await servers.load({ ...all, clients: WRITERS }, (client, i) => servers.ask((client + i) % servers.count, client, 'POST', `/${name}/_bulk_docs`, thousand(`bulk-${count++}`)))
  await servers.load(all, (client, i) => servers.ask((client + i) % servers.count, client, 'PUT', `/${name}/${count++}`, DOCUMENT))
  await servers.load(all, (client, i) => servers.ask((client + i) % servers.count, client, 'GET', `/${name}/bulk-0-${i % 1000}`))
}

/** As many bare queries as clients get documents. @param {PostgresServer} engine @param {Servers} servers */
async function measureBare (engine, servers) {
  const pool = new Pool({ connectionString: engine.url, max: 10 })
  try {
    await pool.query('CREATE TABLE IF NOT EXISTS bare (key bytea PRIMARY KEY, value bytea)')
    await pool.query('INSERT INTO bare VALUES ($1, $2) ON CONFLICT DO NOTHING', [Buffer.from('k'), Buffer.from(TEXT)])
    const query = () => pool.query({ name: 'bare', text: 'SELECT value FROM bare WHERE key = $1', values: [Buffer.from('k')] })
    await servers.load({ seconds: SECONDS / 4, clients: CLIENTS }, query)
    const many = await servers.load({ seconds: SECONDS, clients: CLIENTS }, query)
    const one = await servers.load({ seconds: SECONDS / 2, clients: 1 }, query)
    console.log(`bare queries of pg: ${many.rate.toFixed(0)}/s, ${many.node.toFixed(0)} + ${many.engine.toFixed(0)} µs; one after another ${one.rate.toFixed(0)}/s`)
    return { rate: many.rate, node: many.node, engine: many.engine, alone: one.rate }
  } finally {
    await pool.end()
  }
}

/** Compares the owner of a database with another server that is asked. @param {Servers} servers of which there are several */
async function measurePass (servers) {
  await servers.ask(0, 0, 'PUT', '/pass')
  await servers.ask(0, 0, 'PUT', '/pass/doc', DOCUMENT)
  const counts = { put: 0 }
  const kinds = {
    'GET a document': (/** @type {number} */ server) => (/** @type {number} */ client) => servers.ask(server, client, 'GET', '/pass/doc'),
    'PUT a document': (/** @type {number} */ server) => (/** @type {number} */ client) => servers.ask(server, client, 'PUT', `/pass/${counts.put++}`, DOCUMENT),
    'GET the database': (/** @type {number} */ server) => (/** @type {number} */ client) => servers.ask(server, client, 'GET', '/pass')
  }
  const rows = []
  for (const [what, send] of Object.entries(kinds)) {
    const loads = []
    for (let server = 0; server < servers.count; server++) {
      await servers.load({ seconds: SECONDS / 4, clients: CLIENTS }, send(server))
      const figures = await servers.load({ seconds: SECONDS / 2, clients: CLIENTS }, send(server))
      const one = await servers.load({ seconds: SECONDS / 4, clients: 1 }, send(server))
      loads.push({ server, own: figures.servers[server], others: figures.servers.filter((_, i) => i !== server), engine: figures.engine, rate: figures.rate, alone: one.rate })
    }
    // All that its servers do for it is done by the owner alone.
    const owner = loads.reduce((best, each) => Math.max(...each.others) < Math.max(...best.others) ? each : best)
    const other = loads.filter(each => each !== owner).reduce((best, each) => each.own < best.own ? each : best)
    rows.push({ what, owner, other })
    console.log(`${what}: by its owner ${owner.own.toFixed(0)} + ${owner.engine.toFixed(0)} µs; by another server ${other.own.toFixed(0)}, its owner ${Math.max(...other.others).toFixed(0)}, PostgreSQL ${other.engine.toFixed(0)} µs; one after another ${owner.alone.toFixed(0)}/s and ${other.alone.toFixed(0)}/s`)
  }
  return rows
}

/** Rounded, as they are kept. @param {any} value @returns {any} */
function rounded (value) {
  if (typeof value === 'number') return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  if (Array.isArray(value)) return value.map(rounded)
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)])) : value
}

async function main () {
  const engine = await PostgresServer.start({ settings: { fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB', max_wal_size: '4GB' } })
  const servers = new Servers(engine, CLIENTS)
  try {
    const rows = []
    const bare = []
    console.log('servers databases shards   bulk  servers + PostgreSQL   PUT   servers + PostgreSQL   GET   servers + PostgreSQL   a document')
    for (let count = 1; count <= 3; count++) {
      await servers.add()
      await warmUp(servers)
      bare.push(await measureBare(engine, servers))
      for (const [databases, q] of [[1, 1], [1, 8], [16, 1], [16, 8]]) rows.push(await measure(servers, databases, q))
    }
    const passing = await measurePass(servers)
    const figures = { machine: describeMachine(), recorded: new Date().toISOString().slice(0, 10), seconds: SECONDS, bare: rounded(bare), rows: rounded(rows), passing: rounded(passing) }
    if (values.publish) fs.writeFileSync(PUBLISHED, JSON.stringify(figures, null, 1) + '\n')
  } finally {
    await servers.stop()
    await engine.stop()
  }
}

main()
