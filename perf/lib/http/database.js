'use strict'

const { makeDocuments } = require('../data/samples')

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

/** Views of the documents that `makeDocument` makes. */
const views = {
  names: { map: 'function (doc) { emit(doc.name, doc.age) }' },
  ages: { map: 'function (doc) { emit(doc.age, doc.address.zip) }', reduce: '_stats' }
}

/** @returns {string} the path of a view */
function viewPath (name, query) { return `${DATABASE}/_design/perf/_view/${name}?${query}` }

/**
 * Makes the database with its views, and builds them.
 *
 * @param {import('./server-process').ServerProcess} server
 * @param {number} size
 * @param {{ connections: number }} options of the client
 * @returns {Promise<import('./client').Client>}
 */
async function createViews (server, size, options) {
  const client = await createDatabase(server, size, options)
  await buildViews(client)
  return client
}

async function buildViews (client) {
  await client.request('PUT', `${DATABASE}/_design/perf`, { json: { views }, status: 201 })
  for (const name in views) await client.request('GET', viewPath(name, 'reduce=false&limit=0'))
}

/**
 * Makes the database with an index of names, and builds it.
 *
 * @param {import('./server-process').ServerProcess} server
 * @param {number} size
 * @returns {Promise<import('./client').Client>}
 */
async function createIndexed (server, size) {
  const client = await createDatabase(server, size, { connections: 10 })
  await buildIndex(client, 'name', 'Person number 1')
  return client
}

/** Makes an index of a field, and builds it: one document has that value. */
async function buildIndex (client, field, value) {
  await client.request('POST', `${DATABASE}/_index`, { json: { index: { fields: [field] }, ddoc: 'index', name: field } })
  await find(client, { [field]: value }, 1)
}

/** One `_find`; throws where it does not find as many as it must; without a number, where it finds nothing. */
async function find (client, selector, count) {
  const { docs } = JSON.parse(await client.request('POST', `${DATABASE}/_find`, { json: { selector } }))
  if (count === undefined ? docs.length === 0 : docs.length !== count) throw new Error(`${docs.length} documents and not ${count}`)
}

/** Asks until the database has learned an index from it. */
async function learn (client, selector) {
  await client.request('PUT', `${DATABASE}/_adaptive_indexes`, { json: true })
  for (let state; state !== 'ready';) {
    await find(client, selector, 1)
    const { indexes } = JSON.parse(await client.request('GET', `${DATABASE}/_adaptive_indexes`))
    state = indexes[0]?.adaptive.state
  }
}

module.exports = { DATABASE, buildIndex, buildViews, bulkDocs, createDatabase, createIndexed, createViews, find, learn, viewPath }
