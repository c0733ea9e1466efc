#!/usr/bin/env node
'use strict'

// Measures PostgreSQL as a storage: `node perf/bin/postgres.js [postgres://…]`, with an engine on this machine whose
// tables `perf_…` are removed in the end, or one of its own that syncs each commit. CPU is told of this process and of
// PostgreSQL's apart.

const { readFileSync, readdirSync } = require('node:fs')
const { performance } = require('node:perf_hooks')
const { DocumentStore } = require('@potoroo/document-store')
const { Pool } = require('pg')
const { PostgresLevel } = require('postgres-level')
const { PostgresServer } = require('../../test/support/postgres-server')
const { readOptions } = require('../lib/run/command-line')

const VALUE = 'v'.repeat(200)
const HERTZ = 100

/** Seconds of CPU of all processes of PostgreSQL. */
function postgresSeconds () {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(secondsOf).reduce((sum, seconds) => sum + seconds, 0)
}

/** @param {string} id of a process */
function secondsOf (id) {
  try {
    const [, name, rest] = /** @type {RegExpExecArray} */ (/\((.*)\) (.*)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8')))
    if (name !== 'postgres') return 0
    const fields = rest.split(' ')
    // Its own, and that of its children that have ended.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / HERTZ
  } catch {
    return 0
  }
}

/** @param {string} name @param {number} count @param {() => Promise<unknown>} work */
async function measure (name, count, work) {
  const [cpu, engine, begin] = [process.cpuUsage(), postgresSeconds(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const rate = Math.round(count / (performance.now() - begin) * 1000)
  const [own, its] = [(user + system) / count, (postgresSeconds() - engine) * 1e6 / count]
  console.log(`${name.padEnd(36)} ${String(rate).padStart(8)}/s   node ${own.toFixed(1)} µs   PostgreSQL ${its.toFixed(1)} µs`)
}

/** @param {number} count @param {(i: number) => Promise<unknown>} work */
async function repeat (count, work) {
  for (let i = 0; i < count; i++) await work(i)
}

/** @param {number} count @param {(i: number) => any} make */
function list (count, make) { return Array.from({ length: count }, (_, i) => make(i)) }

/** @param {string} kind @param {any} level */
async function measureWrites (kind, level) {
  await measure(`put, ${kind}`, 1000, () => repeat(1000, i => level.put(`k${i}`, VALUE)))
  await measure(`batch of 1000, ${kind}`, 20_000, () => repeat(20, turn => level.batch(list(1000, i => ({ type: 'put', key: `b${turn}-${i}`, value: VALUE })))))
}

/** @param {any} level @param {Pool} pool */
async function measureReads (level, pool) {
  const bare = { name: 'bare', text: 'SELECT value FROM perf_entries WHERE key = $1', values: [Buffer.from('k5')] }
  await measure('a bare query of pg', 5000, () => repeat(5000, () => pool.query(bare)))
  await measure('get', 5000, () => repeat(5000, () => level.get('k5')))
  await measure('getMany of 100', 20_000, () => repeat(200, () => level.getMany(list(100, i => `k${i}`))))
  await measure('scan', 20_000, () => level.iterator({ gte: 'b', lt: 'c' }).all())
}

/** @param {any} level */
async function measureDocuments (level) {
  const store = await DocumentStore.open(level, { prefix: 'doc/' })
  await measure('documents, 1000 at a time', 20_000, () => repeat(20, turn => store.write(list(1000, i => ({ _id: `d${turn}-${i}`, text: VALUE })))))
  await measure('document', 5000, () => repeat(5000, i => store.get(`d1-${i % 1000}`)))
  let next = 0
  const writer = async () => { while (next < 20_000) await store.put({ _id: `w${next++}`, text: VALUE }) }
  await measure('documents, 50 writers of one each', 20_000, () => Promise.all(list(50, writer)))
  await store.close()
}

/** @param {string} url */
async function main (url) {
  const level = new PostgresLevel(url, { prefix: 'perf' })
  await level.open()
  const pool = new Pool({ connectionString: url })
  try {
    await level.leases.join({ id: 'perf', address: '' })
    const { token } = await level.leases.take('perf', 'perf')
    const fenced = level.fenced({ name: 'perf', token })
    await fenced.open()
    await measureWrites('SERIALIZABLE', level)
    await measureWrites('fenced', fenced)
    await measureReads(level, pool)
    await measureDocuments(fenced)
  } finally {
    await level.close()
    for (const table of ['entries', 'batches', 'servers', 'leases']) await pool.query(`DROP TABLE perf_${table}`)
    await pool.end()
  }
}

async function startAndMeasure () {
  const engine = await PostgresServer.start({ settings: { fsync: 'on', full_page_writes: 'on' } })
  try {
    await main(engine.url)
  } finally {
    await engine.stop()
  }
}

const { positionals: [url] } = readOptions({ allowPositionals: true })
if (url === undefined) startAndMeasure()
else main(url)
