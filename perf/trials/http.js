'use strict'

const { documentId, makeDocument } = require('../lib/data/samples')
const { expectReplicated, expectRows, expectTotal } = require('../lib/data/expect')
const { DATABASE, bulkDocs, createDatabase, createIndexed, createViews, find, learn, viewPath } = require('../lib/http/database')
const { REFERENCE } = require('../lib/http/reference')
const { memoryPouchDB } = require('../lib/pouchdb/database')

const BULK = 1000

/** Requests of 10 clients, if a step is of many. */
const requests = { unit: 'request', size: 1000, step: 250, prepare: withDocuments(10) }
const rows = { unit: 'row', size: 10_000, step: 1, prepare: withDocuments(1) }
const whole = { unit: 'document', step: 1, prepare: withDocuments(1) }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  {
    ...requests,
    name: 'GET /db/doc',
    bare: true,
    goal: { most: 24, couchdb: 693, reference: REFERENCE },
    run: concurrently(async (client, number) => {
      const answer = await client.request('GET', `${DATABASE}/${documentId(number)}`)
      if (!answer.includes('"_rev"')) throw new Error(`Not a document: ${answer}`)
    })
  },
  {
    ...requests,
    name: 'PUT /db/doc, new, 50 connections',
    size: 0,
    durable: true,
    prepare: withDocuments(50),
    async run ({ client, size }, start, step) {
      await client.concurrently(size + start, step, (number) => {
        return client.request('PUT', `${DATABASE}/${documentId(number)}`, { json: makeDocument(number), status: 201 })
      })
    }
  },
  {
    ...whole,
    name: `POST _bulk_docs of ${BULK}`,
    goal: { most: 7, couchdb: 72 },
    size: 0,
    step: BULK,
    most: 1_000_000,
    durable: true,
    run: ({ client, size }, start, step) => bulkDocs(client, size + start, step)
  },
  rowsOf('_all_docs', 'rows'),
  rowsOf('_all_docs?include_docs=true', 'rows'),
  rowsOf('_changes', 'results'),
  {
    // It pulls into a new database each time.
    ...whole,
    name: 'pull by PouchDB of 1000 documents',
    size: 1000,
    async prepare (server, { size }) {
      await createDatabase(server, size, { connections: 1 })
      return { size, remote: server.url + DATABASE, PouchDB: memoryPouchDB() }
    },
    async run ({ size, remote, PouchDB }, start) {
      const local = new PouchDB(`pull-${start}`, { adapter: 'memory' })
      expectReplicated(await local.replicate.from(remote), size)
      await local.destroy()
      return size
    }
  },
  {
    // By their URLs, to a new database. Source, target and replicator are one process here.
    ...whole,
    name: '_replicate of 10,000 documents, both sides and the replicator',
    goal: { most: 35, couchdb: 389 },
    size: 10_000,
    needs: 'replication by URLs',
    prepare: async (server, options) => ({ ...await whole.prepare(server, options), url: server.url }),
    async ready (state) {
      if (state.target !== undefined) await state.client.request('DELETE', state.target)
      state.target = undefined
    },
    async run (state, start) {
      const { client, size, url } = state
      const target = state.target = `/replica-${start}`
      expectReplicated(JSON.parse(await client.request('POST', '/_replicate', { json: { source: url + DATABASE, target: url + target, create_target: true } })), size)
      return size
    }
  },
  {
    // The first query of a view builds it: another view each time.
    ...whole,
    name: 'build a view',
    goal: { most: 10, couchdb: 111 },
    size: 5000,
    most: 100,
    // The number in it makes the functions differ: equal ones would share an index.
    async ready ({ client }, number) {
      const map = `function (doc) { emit(doc.name, doc.age + ${number}) }`
      await client.request('PUT', `${DATABASE}/_design/view-${number}`, { json: { views: { v: { map } } }, status: 201 })
    },
    async run ({ client, size }, number) {
      expectTotal(JSON.parse(await client.request('GET', `${DATABASE}/_design/view-${number}/_view/v?limit=0`)), size)
      return size
    }
  },
  rowsOfView('names', 'sorted=true'),
  rowsOfView('names', 'include_docs=true'),
  rowsOfView('ages', 'group=true', { count: 90, size: 1000 }),
  rowsOfView('ages', 'startkey=20&endkey=80', { count: 1 }),
  {
    // Nothing has changed since the index was built.
    ...requests,
    name: 'POST _find, one document by an index',
    bare: true,
    goal: { most: 90, couchdb: 1621 },
    prepare: async (server, { size }) => ({ size, client: await createIndexed(server, size) }),
    run: concurrently((client, number) => find(client, { name: `Person number ${number}` }, 1))
  },
  {
    // No index has the field: all documents are looked at.
    ...whole,
    name: 'POST _find, without an index',
    size: 1000,
    async run ({ client, size }, start) {
      await findByEmail(client, start * 7919 % size)
      return size
    }
  },
  {
    ...requests,
    name: 'POST _find, again and again without an index',
    size: 10000,
    step: 1,
    run: ({ client, size }, start) => findByEmail(client, start * 7919 % size)
  },
  {
    // The database has learned an index from it.
    ...requests,
    name: 'POST _find, again and again, adaptive',
    size: 10000,
    needs: 'adaptive indexes',
    async prepare (server, options) {
      const state = await requests.prepare(server, options)
      await learn(state.client, { email: 'person.1@example.com' })
      return state
    },
    run: concurrently(findByEmail)
  },
  ...require('./http-views'),
  ...require('./http-single')
]

function withDocuments (connections) {
  return async (server, { size }) => ({ size, client: await createDatabase(server, size, { connections }) })
}

function withViews (connections) {
  return async (server, { size }) => ({ size, client: await createViews(server, size, { connections }) })
}

/** A request for each number of a document, in an order that no cache foresees. */
function concurrently (request) {
  return async ({ client, size }, start, step) => {
    await client.concurrently(start, step, index => request(client, index * 7919 % size))
  }
}

function findByEmail (client, number) {
  return find(client, { email: `person.${number}@example.com` }, 1)
}

/** A `GET` that answers with a row for each document, in a member of the answer. */
function rowsOf (name, member) {
  return {
    ...rows,
    name: `GET ${name}`,
    async run ({ client, size }) {
      const answer = await client.request('GET', `${DATABASE}/${name}`)
      expectRows(JSON.parse(answer)[member], size)
      return size
    }
  }
}

/** A `GET` of a view, with a row for each document; or with a number of rows, where a request is the unit. */
function rowsOfView (name, query, { count, size = rows.size } = {}) {
  return {
    ...rows,
    name: `GET view?${query}`,
    unit: count === undefined ? 'row' : 'request',
    size,
    prepare: withViews(1),
    async run ({ client, size }) {
      const answer = JSON.parse(await client.request('GET', viewPath(name, query)))
      expectRows(answer.rows, count ?? size)
      return count === undefined ? size : 1
    }
  }
}
