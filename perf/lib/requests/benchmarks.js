'use strict'

const { documentId, makeDocument } = require('../data/samples')
const { expectReplicated } = require('../data/expect')
const { DATABASE, buildIndex, bulkDocs, find } = require('../http/database')
const { memoryPouchDB } = require('../pouchdb/database')

const COUNT = 10_000

const FORTUNES = {
  views: { all: { map: 'function (doc) { if (doc.fortune) emit(doc.fortune, null) }' } },
  lists: {
    html: `function (head, req) {
      start({ headers: { 'Content-Type': 'text/html; charset=utf-8' } })
      send('<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>')
      var rows = [{ id: '0', key: 'Additional fortune added at request time.' }], row
      while (row = getRow()) rows.push(row)
      rows.sort(function (a, b) { return a.key < b.key ? -1 : 1 })
      rows.forEach(function (row) { send('<tr><td>' + row.id + '</td><td>' + row.key.replace(/&/g, '&amp;').replace(/</g, '&lt;') + '</td></tr>') })
      return '</table></body></html>'
    }`
  }
}

/** Reads documents one by one, as the rules want it. */
const getEach = (client, ids) => Promise.all(ids.map(async id => JSON.parse(await client.request('GET', `${DATABASE}/${id}`))))

const ids = (n, size) => Array.from({ length: 20 }, (_, i) => documentId((n * 20 + i) * 7919 % size))

/**
 * The shapes of TechEmpower's benchmarks by its rules, on documents: bin/frameworks.js has them in an application.
 * @see https://github.com/TechEmpower/FrameworkBenchmarks/wiki/Project-Information-Framework-Tests-Overview
 * @type {import('./shapes').Shape[]}
 */
const techEmpower = [
  {
    name: 'TechEmpower: plaintext',
    prepare: client => client.request('PUT', `${DATABASE}/plain/text`, { bytes: Buffer.from('Hello, World!'), headers: { 'content-type': 'text/plain' }, status: 201 }),
    request: client => client.request('GET', `${DATABASE}/plain/text`)
  },
  {
    name: 'TechEmpower: JSON',
    prepare: client => client.request('PUT', `${DATABASE}/json`, { json: { message: 'Hello, World!' }, status: 201 }),
    request: client => client.request('GET', `${DATABASE}/json`)
  },
  { name: 'TechEmpower: one query', request: (client, { size }, n) => client.request('GET', `${DATABASE}/${ids(n, size)[0]}`) },
  { name: 'TechEmpower: 20 queries', step: 50, request: (client, { size }, n) => getEach(client, ids(n, size)) },
  {
    name: 'TechEmpower: fortunes, by a list',
    step: 50,
    async prepare (client) {
      for (let i = 0; i < 12; i++) await client.request('PUT', `${DATABASE}/fortune-${i}`, { json: { fortune: `A computer program does what you tell it to do, not what you want it to do. <${i}>` }, status: 201 })
      await client.request('PUT', `${DATABASE}/_design/fortunes`, { json: FORTUNES, status: 201 })
      await client.request('GET', `${DATABASE}/_design/fortunes/_view/all`)
    },
    async request (client) {
      const page = await client.request('GET', `${DATABASE}/_design/fortunes/_list/html/all`)
      if (!page.includes('&lt;11>') || !page.includes('Additional fortune')) throw new Error(`Not the fortunes: ${page}`)
    }
  },
  {
    name: 'TechEmpower: 20 updates',
    step: 50,
    // The documents are its own: no other connection updates them.
    prepare: async (client, { size }) => { await bulkDocs(client, size, 1000) },
    async request (client, { size }, n) {
      const keys = Array.from({ length: 20 }, (_, i) => documentId(size + n % 50 * 20 + i))
      const docs = (await getEach(client, keys)).map(doc => ({ ...doc, age: n }))
      await client.request('POST', `${DATABASE}/_bulk_docs`, { json: { docs }, status: 201 })
    }
  }
]

/**
 * Persevere's test: 10 clients, each with 200 inserts, updates, and queries by an index.
 * @type {import('./shapes').Shape[]}
 */
const persevere = [
  { name: "Persevere's inserts", connections: [10], step: 200, request: (client, { stamp }, n) => insert(client, stamp, n) },
  {
    name: "Persevere's updates",
    connections: [10],
    step: 200,
    async ready (client, state, from, step) {
      for (let n = from; n < from + step; n++) state.revs.set(n, JSON.parse(await insert(client, state.stamp, n)).rev)
    },
    prepare: async () => ({ revs: new Map() }),
    request: (client, { revs, stamp }, n) => client.request('PUT', `${DATABASE}/person-${stamp}-${n}`, { json: { _rev: revs.get(n), firstName: `First ${n}`, number: n, updated: true }, status: 201 })
  },
  {
    name: "Persevere's queries by index",
    connections: [10],
    step: 200,
    async prepare (client, { stamp }) {
      for (let n = 0; n < 200; n++) await insert(client, stamp, n)
      await buildIndex(client, 'number', 1)
    },
    request: (client, state, n) => find(client, { number: n % 200 }, 1)
  }
]

function insert (client, stamp, n) {
  return client.request('PUT', `${DATABASE}/person-${stamp}-${n}`, { json: { firstName: `First ${n}`, number: n }, status: 201 })
}

/**
 * Replication by a PouchDB in memory, in this process, whose time does not count, and by the server itself.
 * @type {import('./shapes').Shape[]}
 */
const replication = [
  {
    // By URLs: source, target and replicator are one process.
    name: 'the server replicates 10,000 documents',
    unit: 'document',
    units: COUNT,
    size: COUNT,
    connections: [1],
    step: 1,
    async ready (client, state, n) {
      if (state.target !== undefined) await client.request('DELETE', state.target)
      state.target = `/replica-${state.stamp}-${n}`
    },
    async request (client, { url, target }) {
      expectReplicated(JSON.parse(await client.request('POST', '/_replicate', { json: { source: url + DATABASE, target: url + target, create_target: true } })), COUNT)
    }
  },
  {
    name: 'PouchDB pulls 10,000 documents',
    unit: 'document',
    units: COUNT,
    size: COUNT,
    connections: [1],
    step: 1,
    async request (client, { url, stamp }, n) {
      const local = new (memoryPouchDB())(`pull-${stamp}-${n}`, { adapter: 'memory' })
      const { docs_written: written } = await local.replicate.from(url + DATABASE, { batch_size: 1000 })
      await local.destroy()
      if (written < COUNT) throw new Error(`${written} documents came`)
    }
  },
  {
    name: 'PouchDB pushes 10,000 documents',
    unit: 'document',
    units: COUNT,
    connections: [1],
    step: 1,
    async ready (client, state, n) {
      state.local = new (memoryPouchDB())(`push-${state.stamp}-${n}`, { adapter: 'memory' })
      const docs = Array.from({ length: COUNT }, (_, i) => ({ ...makeDocument(i), _id: `pushed-${n}-${i}` }))
      await state.local.bulkDocs(docs)
    },
    async request (client, { url, local }) {
      expectReplicated(await local.replicate.to(url + DATABASE, { batch_size: 1000 }), COUNT)
      await local.destroy()
    }
  }
]

module.exports = [...techEmpower, ...persevere, ...replication]
