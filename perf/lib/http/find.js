'use strict'

const { DATABASE, createDatabase } = require('./database')

/**
 * Makes the database with an index of names, and builds it.
 *
 * @param {import('./server-process').ServerProcess} server
 * @param {number} size
 * @returns {Promise<import('./client').Client>}
 */
async function createIndexed (server, size) {
  const client = await createDatabase(server, size, { connections: 10 })
  await client.request('POST', `${DATABASE}/_index`, { json: { index: { fields: ['name'] }, ddoc: 'perf', name: 'names' } })
  await find(client, { name: 'Person number 1' }, 1)
  return client
}

/** One `_find`; throws where it does not find as many as it must. */
async function find (client, selector, count) {
  const { docs } = JSON.parse(await client.request('POST', `${DATABASE}/_find`, { json: { selector } }))
  if (docs.length !== count) throw new Error(`${docs.length} documents and not ${count}`)
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

module.exports = { createIndexed, find, learn }
