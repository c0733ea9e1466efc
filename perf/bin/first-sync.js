#!/usr/bin/env node
'use strict'

// node perf/bin/first-sync.js [--documents N] [--rounds N] prints what the first replication of a PouchDB from this server
// costs, in PouchDB's own way and with pouchdb-fast-sync, by turns: requests, the time by the clock, and the CPU time of the
// client and of the server, which are two processes (pools in /dev/shm, PMEM_IS_PMEM_FORCE=1). Every hundredth document has an attachment of 1 KB.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { fetch } = require('pouchdb-fetch')
const { ServerProcess } = require('../lib/http/server-process')
const { pouchDBWith } = require('../lib/pouchdb/database')
const { documents } = require('../lib/pouchdb/first-sync-documents')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

const { values } = readOptions({ options: { documents: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '5' } } })
const DOCUMENTS = Number(values.documents)
const ADAPTERS = ['pmem', 'classic-level', 'memory-level']

const PouchDB = pouchDBWith(require(`pouchdb-adapter-${ADAPTERS[0]}`))
for (const name of ADAPTERS.slice(1)) PouchDB.plugin(require(`pouchdb-adapter-${name}`))

/** @type {Record<string, (source: any, target: any) => Promise<{ docs_written: number }>>} */
const ways = { PouchDB: PouchDB.replicate }
PouchDB.plugin(require('pouchdb-fast-sync'))
ways['pouchdb-fast-sync'] = PouchDB.replicate

/** @returns {Promise<{ requests: number, milliseconds: number, client: number, server: number }>} */
async function replicated (replicate, server, folder, adapter) {
  let requests = 0
  const remote = new PouchDB(`${server.url}/first-sync`, { skip_setup: true, fetch: (url, options) => { requests++; return fetch(url, options) } })
  const local = new PouchDB(path.join(fs.mkdtempSync(path.join(folder, 'local-')), 'db'), { adapter })
  await local.info()
  const [began, clientBefore, serverBefore] = [performance.now(), process.cpuUsage(), await server.cpu()]
  const { docs_written: written } = await replicate(remote, local)
  const milliseconds = performance.now() - began
  const { user, system } = process.cpuUsage(clientBefore)
  const figures = { requests, milliseconds, client: (user + system) / 1000, server: (await server.cpu() - serverBefore) / 1000 }
  if (written !== DOCUMENTS) throw new Error(`${written} documents`)
  await local.destroy()
  return figures
}

async function main () {
  const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'potoroo-first-sync-'))
  const server = await ServerProcess.start('http/potoroo, pmem', path.join(folder, 'server'))
  try {
    const remote = new PouchDB(`${server.url}/first-sync`)
    for (let n = 0; n < DOCUMENTS; n += 1000) await remote.bulkDocs(documents(n, Math.min(n + 1000, DOCUMENTS)))
    console.log('adapter, way: requests, ms by the clock, ms of CPU of the client, of the server')
    for (const adapter of ADAPTERS) {
      const rounds = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
      // The first is to warm up.
      for (let round = 0; round <= Number(values.rounds); round++) {
        for (const [way, replicate] of Object.entries(ways)) {
          const figures = await replicated(replicate, server, folder, adapter)
          if (round > 0) rounds[way].push(figures)
        }
      }
      for (const [way, figures] of Object.entries(rounds)) {
        console.log(`${adapter}, ${way}: ${['requests', 'milliseconds', 'client', 'server'].map(name => Math.round(median(figures.map(each => each[name])))).join(', ')}`)
      }
    }
  } finally {
    await server.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
