'use strict'

const { documentId, makeDocument, makeDocuments } = require('../../data')
const { DATABASE, bulkDocs } = require('../../http/database')

/** Ids in an order that no cache foresees. */
function anyId (number, size) { return documentId(number * 7919 % size) }

/** @type {import('../catalogue').Shape[]} */
module.exports = [
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
      const before = state.revs.get(id)
      const rev = before === undefined ? undefined : await before
      const answer = client.request('PUT', `${DATABASE}/${id}`, { json: { ...makeDocument(n), _id: id, _rev: rev }, status: 201 }).then(body => JSON.parse(body).rev)
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
  }
]

const MEGABYTE = Buffer.from(makeDocuments(0, 4000).map(doc => JSON.stringify(doc)).join('')).subarray(0, 1_000_000)
