'use strict'

const { makeDocuments } = require('../data')

const BATCH = 1000

/** The path of the database that the trials use. */
const DATABASE = '/perf'

/**
 * Makes the database with the documents 0 to size - 1.
 *
 * @param {import('./server-process').ServerProcess} server
 * @param {number} size
 * @param {{ connections: number }} options of the client
 * @returns {Promise<import('./client').Client>}
 */
async function createDatabase (server, size, { connections }) {
  const client = server.client({ connections })
  await client.request('PUT', DATABASE, { status: 201 })
  for (let start = 0; start < size; start += BATCH) {
    await bulkDocs(client, start, Math.min(BATCH, size - start))
  }
  return client
}

/** One `_bulk_docs` of the documents [start, start + count). */
async function bulkDocs (client, start, count) {
  const results = JSON.parse(await client.request('POST', `${DATABASE}/_bulk_docs`, {
    json: { docs: makeDocuments(start, count) },
    status: 201
  }))
  if (!results.every((result) => result.rev)) throw new Error('Not all documents were written')
}

/** Throws where the answer has not as many rows as it must. */
function expectRows (rows, count) {
  if (rows.length !== count) throw new Error(`${rows.length} rows and not ${count}`)
}

module.exports = { DATABASE, createDatabase, bulkDocs, expectRows }
