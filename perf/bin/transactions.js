#!/usr/bin/env node
'use strict'

// node perf/bin/transactions.js prints what a transaction of ten reads and ten new documents costs beside `_bulk_docs` of ten: in the
// document store, and over HTTP with its client; and what a call costs that moves an amount between two documents, beside a client that reads both
// and writes them by `_transact`. One after another, and of 20 writers at once. The kinds take turns. CPU time.

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('potoroo')
const { DocumentStore } = require('@potoroo/document-store')
const { MemoryLevel } = require('memory-level')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = 20
const WRITES = 100
const EACH = 10
const WRITERS = 20

const document = number => ({ name: `Ada Lovelace ${number}`, email: `ada${number}@example.com`, age: number % 100, tags: ['math', 'poetry', 'engine'], filler: 'x'.repeat(80) })

/** Ten documents of a write, which no other has. */
let made = 0
const ten = () => Array.from({ length: EACH }, () => ({ _id: `d${made}`, ...document(made++) }))
const readsOf = docs => docs.map(({ _id: id }) => ({ id, rev: null }))

/** Two ids of accounts, which no other has of a round. */
let moves = 0
const two = () => {
  const at = 2 * (moves++ % WRITES)
  return [`a${at}`, `a${at + 1}`]
}

const RPC = {
  nothing: 'function () {}',
  move: 'function (ids, tx) { var from = tx.get(ids[0]), to = tx.get(ids[1]); from.amount--; to.amount++; tx.put(from); tx.put(to); return from.amount }'
}

/** Microseconds of CPU time of each write, by kind. @param {Record<string, (given: any[]) => Promise<unknown>>} kinds @param {number} writers @param {() => any[]} [make] */
async function compare (kinds, writers, make = ten) {
  const costs = Object.fromEntries(Object.keys(kinds).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const names = round % 2 === 0 ? Object.keys(kinds) : Object.keys(kinds).reverse()
    for (const name of names) {
      const lists = Array.from({ length: WRITES }, make)
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
  /** @param {string} method @param {string} url @param {any} [body] */
  const ask = async (method, url, body) => {
    const answer = await fetch(server.url + url, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(text.slice(0, 1000))
    return JSON.parse(text)
  }
  try {
    await ask('PUT', '/db')
    const kinds = {
      '_bulk_docs of 10': docs => ask('POST', '/db/_bulk_docs', { docs }),
      '_transact of 10': docs => ask('POST', '/db/_transact', { reads: readsOf(docs), writes: docs })
    }
    const written = [await compare(kinds, 1), await compare(kinds, WRITERS)]
    await ask('PUT', '/bank')
    await ask('POST', '/bank/_bulk_docs', { docs: Array.from({ length: 2 * WRITES }, (_, i) => ({ _id: `a${i}`, amount: 1000 })) })
    await ask('PUT', '/bank/_design/app', { rpc: RPC })
    const call = (method, params) => ask('POST', '/bank/_design/app/_rpc', { jsonrpc: '2.0', id: 1, method, params })
    const move = async ids => {
      const [from, to] = await Promise.all(ids.map(id => ask('GET', `/bank/${id}`)))
      await ask('POST', '/bank/_transact', { writes: [{ ...from, amount: from.amount - 1 }, { ...to, amount: to.amount + 1 }] })
    }
    const calls = {
      'GET of two documents, _transact of both': move,
      '_rpc: a call that does the same': ids => call('move', ids),
      '_rpc: a call that does nothing': ids => call('nothing', ids)
    }
    const contended = { '_rpc: calls that all write the same two': () => call('move', ['a0', 'a1']) }
    return [written, [await compare(calls, 1, two), await compare(calls, WRITERS, two)], [await compare(contended, 1, two), await compare(contended, WRITERS, two)]]
  } finally {
    await server.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

async function main () {
  console.log(`documents of ${JSON.stringify(document(1)).length} bytes, CPU time of a write`.padEnd(48) + `one writer   ${WRITERS} at once`)
  for (const [one, many] of [await inStore(), ...await overHttp()]) {
    for (const name of Object.keys(one)) console.log(`${name.padEnd(48)}${one[name].toFixed(0).padStart(7)} µs${many[name].toFixed(0).padStart(11)} µs`)
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
