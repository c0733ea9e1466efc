#!/usr/bin/env node
'use strict'

// Measures servers that share a PostgreSQL: `node perf/bin/cluster.js [--clients 50] [--seconds 4]`. 1, 2 and 3
// servers, 1 and 16 databases, of 1 shard and of 8: clients put single documents and get them, each by one of the
// servers in turn. Prints requests a second, and µs of CPU for each of the servers and of PostgreSQL, which syncs each
// commit. At last it gets one document by its owner and by another server: what passing a request costs.

const { fork } = require('node:child_process')
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { PostgresServer } = require('../../test/support/postgres-server')
const { processorTime } = require('../lib/owners/processor-time')

const { values } = parseArgs({ options: { clients: { type: 'string', default: '50' }, seconds: { type: 'string', default: '4' } } })
const CLIENTS = Number(values.clients)
const SERVER = path.join(__dirname, '../../test/cluster/support/server.js')
const AUTHORIZATION = `Basic ${Buffer.from('admin:secret').toString('base64')}`
const TEXT = 'x'.repeat(200)

const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS })

/** @param {string} server @param {string} method @param {string} target @param {any} [body] */
function ask (server, method, target, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(server + target, { method, agent, headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' } }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Servers of one engine, which are processes of their own. */
class Servers {
  /** @type {Array<{ url: string, child: import('node:child_process').ChildProcess }>} */
  all = []

  /** @param {PostgresServer} engine */
  constructor (engine) { this.engine = engine }

  async add () {
    const child = fork(SERVER, [this.engine.url, '{}'])
    const [{ url }] = await once(child, 'message')
    this.all.push({ url, child })
  }

  get urls () { return this.all.map(({ url }) => url) }

  /** µs of CPU of each, and of the engine. */
  times () { return [...this.all.map(({ child }) => processorTime(child.pid)), processorTime(this.engine.pid)] }

  async stop () {
    await Promise.all(this.all.map(async ({ child }) => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }))
  }
}

/**
 * Clients send one request after another for some seconds.
 *
 * @param {Servers} servers
 * @param {(client: number, i: number) => Promise<number>} send
 * @returns {Promise<{ rate: number, times: number[] }>} requests a second, and µs for each
 */
async function load (servers, send) {
  const before = servers.times()
  const began = performance.now()
  const end = began + 1000 * Number(values.seconds)
  let count = 0
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let i = 0; performance.now() < end; i++, count++) {
      const status = await send(client, i)
      if (status >= 400) throw new Error(`A request got ${status}`)
    }
  }))
  const rate = count / (performance.now() - began) * 1000
  return { rate, times: servers.times().map((time, at) => (time - before[at]) / count) }
}

/** @param {{ rate: number, times: number[] }} load */
function inWords ({ rate, times }) {
  const own = times.slice(0, -1).reduce((sum, time) => sum + time, 0)
  return `${rate.toFixed(0).padStart(7)}/s ${own.toFixed(0).padStart(5)} + ${times[times.length - 1].toFixed(0).padStart(4)} µs`
}

/** @param {Servers} servers @param {number} databases @param {number} q */
async function measure (servers, databases, q) {
  const { urls } = servers
  const names = Array.from({ length: databases }, (_, i) => `db-${urls.length}-${databases}-${q}-${i}`)
  for (const name of names) await ask(urls[0], 'PUT', `/${name}?q=${q}`)
  const serverOf = (client, i) => urls[(client + i) % urls.length]
  const pathOf = (client, i) => `/${names[(client + i) % names.length]}/${client}-${i}`
  for (let i = 0; i < 200; i++) await ask(serverOf(0, i), 'PUT', `/${names[i % names.length]}/warm-${i}`, { text: TEXT })
  let most = Infinity
  const counts = new Array(CLIENTS).fill(0)
  const puts = await load(servers, (client, i) => {
    counts[client] = i
    return ask(serverOf(client, i), 'PUT', pathOf(client, i), { text: TEXT })
  })
  most = Math.min(...counts)
  const gets = await load(servers, (client, i) => ask(serverOf(client, i), 'GET', pathOf(client, i % most)))
  console.log(`${String(urls.length).padStart(7)} ${String(databases).padStart(9)} ${String(q).padStart(6)}   ${inWords(puts)}   ${inWords(gets)}`)
}

/** @param {Servers} servers of which there are several */
async function measurePass (servers) {
  await ask(servers.urls[0], 'PUT', '/pass')
  await ask(servers.urls[0], 'PUT', '/pass/doc', { text: TEXT })
  for (const { url } of servers.all) for (let i = 0; i < 2000; i++) await ask(url, 'GET', '/pass/doc')
  for (const [at, { url }] of servers.all.entries()) {
    const { times } = await load(servers, () => ask(url, 'GET', '/pass/doc'))
    const others = times.slice(0, -1).map((time, i) => i === at ? null : time.toFixed(0)).filter(time => time !== null)
    console.log(`GET by server ${at + 1}: itself ${times[at].toFixed(0)} µs, the others ${others.join(', ')}, PostgreSQL ${times[times.length - 1].toFixed(0)}`)
  }
}

async function main () {
  const engine = await PostgresServer.start({ settings: { fsync: 'on', full_page_writes: 'on' } })
  const servers = new Servers(engine)
  try {
    console.log('servers databases shards   PUT     servers + PostgreSQL   GET     servers + PostgreSQL')
    for (let count = 1; count <= 3; count++) {
      await servers.add()
      for (const [databases, q] of [[1, 1], [16, 1], [1, 8]]) await measure(servers, databases, q)
    }
    await measurePass(servers)
  } finally {
    await servers.stop()
    await engine.stop()
  }
}

main()
