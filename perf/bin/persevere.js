#!/usr/bin/env node
'use strict'

// node perf/bin/persevere.js [--rounds N] [--requests N] does Persevere's test, inserts, updates and queries by an index from ten connections, on a
// server on a pool, and in PHP on MariaDB by nginx and PHP's process manager, which Debian's packages mariadb-server, nginx-light, php-fpm and php-mysql
// bring. Both take turns, their data are in /dev/shm, and each write is durable when it is answered. µs of CPU time a request, of all processes.

const fs = require('node:fs')
const { DATABASE, buildIndex, createDatabase, find } = require('../lib/http/database')
const { Client } = require('../lib/http/client')
const { ServerProcess } = require('../lib/http/server-process')
const { PhpServer } = require('../lib/persevere/php-server')
const { describeMachine } = require('../lib/report/machine')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

const { values } = readOptions({ options: { rounds: { type: 'string', default: '12' }, requests: { type: 'string', default: '500' } } })

const CONNECTIONS = 10
const WORK = ['inserts', 'updates', 'queries by index']

/** @param {number} n */
function person (n) { return { firstName: `First ${n}`, number: n } }

/** The server on a pool. */
class Own {
  name = 'potoroo, pool'
  #revisions = new Map()

  async start (folder) {
    this.server = await ServerProcess.start('http/potoroo, pmem', folder, { PMEM_IS_PMEM_FORCE: '1' })
    this.client = await createDatabase(this.server, 0, { connections: CONNECTIONS })
    await this.inserts(1e9)
    await buildIndex(this.client, 'number', 1e9)
  }

  cpu () { return this.server.cpu() }
  collect () { return this.server.collect() }
  async inserts (n) { this.#revisions.set(n, JSON.parse(await this.client.request('PUT', `${DATABASE}/person-${n}`, { json: person(n), status: 201 })).rev) }
  async updates (n) { await this.client.request('PUT', `${DATABASE}/person-${n}`, { json: { ...person(n), _rev: this.#revisions.get(n), updated: true }, status: 201 }) }
  'queries by index' (n) { return find(this.client, { number: n }, 1) }
  close () { return this.server.close() }
}

/** The same in PHP. */
class Php {
  name = 'PHP, MariaDB'

  async start (folder) {
    this.server = await PhpServer.start(folder)
    this.client = new Client(this.server.url, CONNECTIONS)
  }

  async cpu () { return this.server.cpu }
  async collect () {}
  inserts (n) { return this.client.request('POST', `/person-${n}`, { json: person(n), status: 201 }) }
  updates (n) { return this.client.request('PUT', `/person-${n}`, { json: { ...person(n), updated: true }, status: 201 }) }

  async 'queries by index' (n) {
    const { docs } = JSON.parse(await this.client.request('GET', `/?number=${n}`))
    if (docs.length !== 1) throw new Error(`${docs.length} people have the number ${n}`)
  }

  close () {
    this.client.close()
    return this.server.close()
  }
}

/** @returns {Promise<Record<string, number[]>>} costs by the work, of each round */
async function turns (peers) {
  const requests = Number(values.requests)
  const costs = peers.map(() => Object.fromEntries(WORK.map(work => [work, []])))
  for (const peer of peers) await peer.collect()
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const work of WORK) {
      for (const [i, peer] of peers.entries()) {
        const before = await peer.cpu()
        await peer.client.concurrently(round * requests, requests, n => peer[work](n))
        costs[i][work].push((await peer.cpu() - before) / requests)
      }
    }
  }
  return costs
}

async function main () {
  const missing = PhpServer.missing()
  if (missing !== undefined) console.error(`PHP and MariaDB are left out: there is no ${missing}`)
  const peers = [new Own(), ...(missing === undefined ? [new Php()] : [])]
  const folders = peers.map(() => fs.mkdtempSync('/dev/shm/potoroo-persevere-'))
  const started = []
  try {
    for (const [i, peer] of peers.entries()) {
      await peer.start(folders[i])
      started.push(peer)
    }
    const costs = await turns(peers)
    const settled = list => median(list.slice(Math.floor(list.length / 3)))
    console.log(`| µs of CPU time | ${peers.map(({ name }) => name).join(' | ')} |\n| --- |${' ---: |'.repeat(peers.length)}`)
    for (const work of WORK) {
      const figures = costs.map(each => settled(each[work]))
      console.log(`| ${work} | ${figures.map((each, i) => i === 0 ? each.toFixed(0) : `${each.toFixed(0)} (× ${(each / figures[0]).toFixed(1)})`).join(' | ')} |`)
    }
    const { cpu, cores, node, time, load } = describeMachine()
    console.log(`\n${cpu}, ${cores} cores, Node.js ${node}, ${time.slice(0, 10)}; median of ${values.rounds} rounds, load ${load.toFixed(1)} at the start`)
  } finally {
    for (const peer of started) await peer.close()
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
