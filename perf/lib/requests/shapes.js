'use strict'

const { documentId, makeDocument, makeDocuments } = require('../data/samples')
const { expectRows } = require('../data/expect')
const { DATABASE, buildIndex, buildViews, bulkDocs, find, viewPath } = require('../http/database')

/**
 * @typedef {object} Shape one kind of request, or of work that takes several
 * @property {string} name
 * @property {string} [unit] what a unit of work is called; `request` by default
 * @property {number} [units] of work in one request, 1 by default
 * @property {number} [size] documents in the database before; 1000 by default
 * @property {number} [step] requests in a turn; 250 by default
 * @property {number[]} [connections] how many at once; 1, 10 and 50 by default
 * @property {(client: import('../http/client').Client, state: State & { open: (connections: number) => import('../http/client').Client }) => Promise<any>} [prepare]
 *   untimed, once; what it gives is added to the state
 * @property {(client: import('../http/client').Client, state: any, from: number, step: number) => Promise<void>} [ready]
 *   untimed, before each turn
 * @property {(client: import('../http/client').Client, state: any, n: number) => Promise<any>} request `n` is another number each
 *   time; throws where the answer is not right
 *
 * @typedef {{ size: number, url: string, stamp: string }} State `stamp`: differs from run to run
 */

const MEGABYTE = Buffer.from(makeDocuments(0, 4000).map(doc => JSON.stringify(doc)).join('')).subarray(0, 1_000_000)

/** Ids in an order that no cache foresees. */
function anyId (number, size) { return documentId(number * 7919 % size) }

function nameOf (number, size) { return `Person number ${number * 7919 % size}` }

/** @type {Shape[]} */
const shapes = [
  { name: 'welcome', request: client => client.request('GET', '/') },
  { name: 'database info', request: client => client.request('GET', DATABASE) },
  { name: 'get a document', request: (client, { size }, n) => client.request('GET', `${DATABASE}/${anyId(n, size)}`) },
  {
    name: 'get it if it changed (304)',
    async prepare (client) {
      const { _rev: rev } = JSON.parse(await client.request('GET', `${DATABASE}/${documentId(1)}`))
      return { etag: `"${rev}"` }
    },
    request: (client, { etag }) => client.request('GET', `${DATABASE}/${documentId(1)}`, { headers: { 'if-none-match': etag }, status: 304 })
  },
  {
    name: 'put a new document',
    request: (client, { size }, n) => client.request('PUT', `${DATABASE}/${documentId(size + n)}`, { json: makeDocument(size + n), status: 201 })
  },
  {
    name: 'update a document',
    // Each request has a document of its own, so that there are no conflicts.
    async request (client, state, n) {
      state.revs ??= new Map()
      const id = `updated-${n % 50}-${state.stamp}`
      // At once: another request of the same document may come before the revision is known.
      const answer = Promise.resolve(state.revs.get(id)).then(async rev => {
        const body = await client.request('PUT', `${DATABASE}/${id}`, { json: { ...makeDocument(n), _id: id, _rev: rev }, status: 201 })
        return JSON.parse(body).rev
      })
      state.revs.set(id, answer)
      await answer
    }
  },
  { name: 'bulk of 1000 new documents', unit: 'document', units: 1000, step: 4, request: (client, { size }, n) => bulkDocs(client, size + n * 1000, 1000) },
  {
    name: 'bulk get of 100',
    unit: 'document',
    units: 100,
    step: 20,
    request: (client, { size }, n) => client.request('POST', `${DATABASE}/_bulk_get`, { json: { docs: Array.from({ length: 100 }, (_, i) => ({ id: anyId(n + i, size) })) } })
  },
  { name: 'all docs', unit: 'row', units: 1000, step: 10, request: (client, { size }) => client.request('GET', `${DATABASE}/_all_docs?limit=${size}`) },
  { name: 'all docs, with documents', unit: 'row', units: 1000, step: 10, request: (client, { size }) => client.request('GET', `${DATABASE}/_all_docs?include_docs=true&limit=${size}`) },
  {
    name: 'attachment of 1 MB in',
    step: 10,
    async request (client, { stamp }, n) { await client.request('PUT', `${DATABASE}/in-${stamp}-${n}/file`, { bytes: MEGABYTE, status: 201 }) }
  },
  {
    name: 'attachment of 1 MB out',
    step: 10,
    prepare: client => client.request('PUT', `${DATABASE}/out/file`, { bytes: MEGABYTE, status: 201 }),
    async request (client) {
      const { length } = await client.request('GET', `${DATABASE}/out/file`)
      if (length !== MEGABYTE.length) throw new Error(`${length} bytes`)
    }
  },
  {
    name: 'changes, all',
    unit: 'row',
    units: 1000,
    step: 10,
    async request (client, { size }) { expectRows(JSON.parse(await client.request('GET', `${DATABASE}/_changes?limit=${size}`)).results, size) }
  },
  {
    name: 'changes, the last 10',
    async prepare (client) {
      const { update_seq: since } = JSON.parse(await client.request('GET', DATABASE))
      await client.request('POST', `${DATABASE}/_bulk_docs`, { json: { docs: Array.from({ length: 10 }, (_, n) => ({ _id: `last-${n}` })) }, status: 201 })
      return { since }
    },
    async request (client, { since }) { expectRows(JSON.parse(await client.request('GET', `${DATABASE}/_changes?since=${encodeURIComponent(since)}`)).results, 10) }
  },
  {
    // From a write until who waits for it has been told; both are on connections of their own.
    name: 'longpoll, until a write is told',
    connections: [1],
    step: 20,
    async prepare (client, { open }) {
      const { update_seq: since } = JSON.parse(await client.request('GET', DATABASE))
      return { since, waiting: open(1) }
    },
    async request (client, state, n) {
      const told = state.waiting.request('GET', `${DATABASE}/_changes?feed=longpoll&since=${encodeURIComponent(state.since)}`)
      await client.request('PUT', `${DATABASE}/told-${state.stamp}-${n}`, { json: { n }, status: 201 })
      state.since = JSON.parse(await told).last_seq
    }
  },
  {
    name: 'revisions that are missing, of 100',
    unit: 'document',
    units: 100,
    step: 20,
    request: (client, { size }, n) => client.request('POST', `${DATABASE}/_revs_diff`, { json: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [documentId((n + i) % size), ['9-abc']])) })
  },
  {
    name: 'view, by key',
    prepare: buildViews,
    async request (client, { size }, n) {
      const answer = await client.request('GET', viewPath('names', `key=${encodeURIComponent(JSON.stringify(nameOf(n, size)))}`))
      if (!answer.includes('"id"')) throw new Error(`Not its row: ${answer}`)
    }
  },
  { name: 'view, all rows', unit: 'row', units: 1000, step: 10, prepare: buildViews, request: client => client.request('GET', viewPath('names', 'limit=1000')) },
  {
    name: 'view, by key, with its document',
    prepare: buildViews,
    async request (client, { size }, n) {
      const answer = await client.request('GET', viewPath('names', `include_docs=true&key=${encodeURIComponent(JSON.stringify(nameOf(n, size)))}`))
      if (!answer.includes('"doc":{')) throw new Error(`Not its row: ${answer}`)
    }
  },
  {
    name: 'view, one row behind half of 50,000',
    size: 50_000,
    step: 50,
    prepare: buildViews,
    async request (client, { size }, n) {
      const { offset, rows } = JSON.parse(await client.request('GET', viewPath('names', `skip=${size / 2 + n % 100}&limit=1`)))
      if (offset !== size / 2 + n % 100 || rows.length !== 1) throw new Error(`${rows.length} rows at ${offset}`)
    }
  },
  {
    name: 'all docs, one row behind half of 50,000',
    size: 50_000,
    step: 50,
    async request (client, { size }, n) { expectRows(JSON.parse(await client.request('GET', `${DATABASE}/_all_docs?skip=${size / 2 + n % 100}&limit=1`)).rows, 1) }
  },
  { name: 'view, reduced', step: 50, prepare: buildViews, request: client => client.request('GET', viewPath('ages', 'startkey=20&endkey=80')) },
  {
    name: 'find, by index',
    prepare: (client, { size }) => buildIndex(client, 'name', nameOf(1, size)),
    request: (client, { size }, n) => find(client, { name: nameOf(n, size) }, 1)
  },
  ...require('./benchmarks')
]

module.exports = { shapes }
