'use strict'

const { documentId, makeDocument, makeDocuments } = require('../lib/data/samples')
const { DATABASE, createDatabase } = require('../lib/http/database')
const { REFERENCE } = require('../lib/http/reference')

const MEGABYTE = Buffer.from(makeDocuments(0, 4000).map(doc => JSON.stringify(doc)).join('')).subarray(0, 1_000_000)

/** Requests of one document or attachment. */
const single = { unit: 'request', bare: true, size: 0, step: 100, prepare: withConnections(1) }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  {
    ...single,
    name: 'PUT /db/doc, new, one connection',
    goal: { most: 90, couchdb: 4167 },
    durable: true,
    async run ({ client }, start, step) {
      for (let n = start; n < start + step; n++) await client.request('PUT', `${DATABASE}/${documentId(n)}`, { json: makeDocument(n), status: 201 })
    }
  },
  {
    ...single,
    name: 'PUT an attachment of 1 MB',
    unit: 'MB',
    step: 10,
    goal: { most: 2000, couchdb: 18_000 },
    durable: true,
    async run ({ client }, start, step) {
      for (let n = start; n < start + step; n++) await client.request('PUT', `${DATABASE}/${documentId(n)}/file`, { bytes: MEGABYTE, status: 201 })
    }
  },
  {
    ...single,
    name: 'GET a text attachment of 13 bytes',
    step: 250,
    goal: { most: 60, couchdb: 920, reference: REFERENCE },
    async prepare (server) {
      const { client } = await withConnections(10)(server)
      await client.request('PUT', `${DATABASE}/plain/text`, { bytes: Buffer.from('Hello, World!'), headers: { 'content-type': 'text/plain' }, status: 201 })
      return { client }
    },
    async run ({ client }, start, step) {
      await client.concurrently(start, step, async () => {
        const answer = await client.request('GET', `${DATABASE}/plain/text`)
        if (answer.toString() !== 'Hello, World!') throw new Error(`Not the attachment: ${answer}`)
      })
    }
  }
]

function withConnections (connections) {
  return async server => ({ client: await createDatabase(server, 0, { connections }) })
}
