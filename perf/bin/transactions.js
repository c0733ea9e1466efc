#!/usr/bin/env node
'use strict'

// node perf/bin/transactions.js prints what a transaction of ten reads and ten new documents costs beside `_bulk_docs` of ten: in the
// document store, and over HTTP with its client; one after another, and of 20 writers at once. The kinds take turns. CPU time.

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('potoroo')
const { DocumentStore } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { median } = require('../lib/report/statistics')

const ROUNDS = 20
const WRITES = 100
const EACH = 10
const WRITERS = 20

const document = number => ({ name: `Ada Lovelace ${number}`, email: `ada${number}@example.com`, age: number % 100, tags: ['math', 'poetry', 'engine'], filler: 'x'.repeat(80) })

/** Ten documents of a write, which no other has. */
let made = 0
const ten = () => Array.from({ length: EACH }, () => ({ _id: `d${made}`, ...document(made++) }))
const readsOf = docs => docs.map(({ _id: id }) => ({ id, rev: null }))

/** Microseconds of CPU time of each write, by kind. @param {Record<string, (docs: any[]) => Promise<unknown>>} kinds */
async function compare (kinds, writers) {
  const costs = Object.fromEntries(Object.keys(kinds).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const names = round % 2 === 0 ? Object.keys(kinds) : Object.keys(kinds).reverse()
    for (const name of names) {
      const lists = Array.from({ length: WRITES }, ten)
      const before = process.cpuUsage()
      await Promise.all(Array.from({ length: writers }, async () => { while (lists.length > 0) await kinds[name](lists.pop()) }))
      const { user, system } = process.cpuUsage(before)
      costs[name].push((user + system) / WRITES)
    }
  }
  return Object.fromEntries(Object.entries(costs).map(([name, list]) => [name, median(list.slice(ROUNDS / 2))]))
}

async function inStore () {
  const store = await DocumentStore.open(new MemoryLevel(), { deterministicRevs: 'couchdb' })
  const kinds = {
    'write of 10': docs => store.write(docs),
    'transact of 10': docs => store.transact({ reads: readsOf(docs), writes: docs })
  }
  const found = [await compare(kinds, 1), await compare(kinds, WRITERS)]
  await store.close()
  return found
}

async function overHttp () {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-transactions-'))
  const server = await serve({ port: 0, path: folder, storage: 'memory', allowVolatile: true, admins: { admin: 'admin' } })
  const headers = { Authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}`, 'Content-Type': 'application/json' }
  const ask = async (method, url, body) => {
    const answer = await fetch(server.url + url, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(text.slice(0, 1000))
  }
  try {
    await ask('PUT', '/db')
    const kinds = {
      '_bulk_docs of 10': docs => ask('POST', '/db/_bulk_docs', { docs }),
      '_transact of 10': docs => ask('POST', '/db/_transact', { reads: readsOf(docs), writes: docs })
    }
    return [await compare(kinds, 1), await compare(kinds, WRITERS)]
  } finally {
    await server.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

async function main () {
  console.log(`documents of ${JSON.stringify(document(1)).length} bytes, CPU time of a write`.padEnd(48) + `one writer   ${WRITERS} at once`)
  for (const [one, many] of [await inStore(), await overHttp()]) {
    for (const name of Object.keys(one)) console.log(`${name.padEnd(48)}${one[name].toFixed(0).padStart(7)} µs${many[name].toFixed(0).padStart(11)} µs`)
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
