#!/usr/bin/env node
'use strict'

// PMEM_IS_PMEM_FORCE=1 node perf/bin/document-objects.js prints what documents as objects cost beside the document store itself, PouchDB on
// it, and persistent objects that are no documents: a member is changed and committed, ten are in one transaction, and a member is read. The kinds
// take turns. CPU time; the pool is in /dev/shm, in the place of persistent memory.

const fs = require('node:fs/promises')
const path = require('node:path')
const { openDocuments } = require('@potoroo/document-objects')
const { Pool } = require('pmemobj')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-document-store'))
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = Number(process.env.ROUNDS ?? 12)
const DOCUMENTS = 2000
const TEN = 10

const idOf = number => `d${number}`
const contentOf = number => ({ kind: 'todo', text: `Buy milk ${number}`, done: 0, tags: ['shop', 'today'], filler: 'x'.repeat(80) })

async function open (folder) {
  const pool = Pool.open(path.join(folder, 'pool'))
  const documents = await openDocuments(pool, 'todos')
  const pouch = new PouchDB('todos', { adapter: 'document-store', databases: documents.databases })
  await documents.transaction(() => { for (let i = 0; i < DOCUMENTS; i++) documents.set(idOf(i), contentOf(i)) })
  pool.root = { objects: Array.from({ length: DOCUMENTS }, (_, i) => contentOf(i)) }
  const held = Array.from({ length: DOCUMENTS }, (_, i) => documents.get(idOf(i)))
  return { pool, documents, pouch, held, objects: Array.from(pool.root.objects) }
}

/** Puts documents of its own, and remembers their revisions: what others write of a document that is an object is read again. */
function putter (prefix, put) {
  const revs = []
  return async i => {
    const number = i % DOCUMENTS
    const { rev } = await put({ ...contentOf(number), _id: prefix + number, ...(revs[number] && { _rev: revs[number] }), done: i })
    revs[number] = rev
  }
}

/** Changes by name. Each kind of work does the unit i. */
function changesOf ({ pool, documents, pouch, held, objects }) {
  return {
    'a member changed and committed': {
      units: 1000,
      kinds: {
        'a document that is an object': async i => documents.transaction(() => { held[i % DOCUMENTS].done++ }),
        'the document store, put': putter('store', document => documents.store.put(document)),
        'PouchDB, put': putter('pouch', document => pouch.put(document)),
        'an object that is no document': i => { objects[i % DOCUMENTS].done++ }
      }
    },
    'the same of ten in a transaction, each': {
      units: 1000,
      kinds: {
        'documents that are objects': async i => i % TEN === 0 && documents.transaction(() => { for (let n = 0; n < TEN; n++) held[(i + n) % DOCUMENTS].done++ }),
        'objects that are no documents': i => i % TEN === 0 && pool.transaction(() => { for (let n = 0; n < TEN; n++) objects[(i + n) % DOCUMENTS].done++ })
      }
    }
  }
}

function readsOf ({ documents, held, objects }) {
  const seen = { sum: 0 }
  return {
    'a member read': {
      units: 100_000,
      kinds: {
        'a document that is held': i => { seen.sum += held[i % DOCUMENTS].done },
        'by documents.get(id)': i => { seen.sum += documents.get(idOf(i % DOCUMENTS)).done },
        'an object that is no document': i => { seen.sum += objects[i % DOCUMENTS].done }
      }
    }
  }
}

/** Microseconds of CPU time of a unit. */
async function measure (work, from, units) {
  const before = process.cpuUsage()
  for (let i = from; i < from + units; i++) {
    const done = work(i)
    if (done instanceof Promise) await done
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / units
}

async function compare (kinds, units) {
  const costs = Object.fromEntries(Object.keys(kinds).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const names = round % 2 === 0 ? Object.keys(kinds) : Object.keys(kinds).reverse()
    for (const name of names) costs[name].push(await measure(kinds[name], round * units, units))
  }
  return Object.entries(costs).map(([name, list]) => [name, median(list.slice(ROUNDS / 3))])
}

async function main () {
  const folder = await fs.mkdtemp('/dev/shm/potoroo-document-objects-')
  try {
    const opened = await open(folder)
    for (const [title, { units, kinds }] of Object.entries({ ...changesOf(opened), ...readsOf(opened) })) {
      console.log(title)
      for (const [name, cost] of await compare(kinds, units)) console.log(`  ${name.padEnd(36)}${cost.toFixed(cost < 1 ? 3 : 1).padStart(8)} µs`)
    }
    await opened.documents.close()
    opened.pool.close()
  } finally {
    await fs.rm(folder, { recursive: true })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
