'use strict'

const { expectRows } = require('../lib/data/expect')
const { DATABASE, bulkDocs, createDatabase, createViews, viewPath } = require('../lib/http/database')
const { REFERENCE } = require('../lib/http/reference')

const GROUPS = 20
const grouped = { views: { v: { map: `function (doc) { emit([doc.age % ${GROUPS}, doc.name], doc.age) }`, reduce: '_stats' } } }
const GROUPED = `${DATABASE}/_design/grouped/_view/v`

/** Nothing has changed since the view was built. */
const byKey = { unit: 'request', bare: true, size: 1000, step: 250 }
const ofGroups = { unit: 'request', size: 30_000, step: 10, prepare: withGroups }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  { ...byKey, name: 'GET view?key=', goal: { most: 90, couchdb: 1068, reference: REFERENCE }, ...rowOf(10, '', '"value":') },
  { ...byKey, name: 'GET view?key=, with its document', goal: { most: 100, couchdb: 1447, reference: REFERENCE }, ...rowOf(10, '&include_docs=true', '"doc":{') },
  { ...byKey, name: 'GET view?key=, one connection', goal: { most: 160, couchdb: 2198 }, ...rowOf(1, '', '"value":') },
  {
    ...ofGroups,
    name: 'GET view?group_level=1 of 30,000 rows, _stats',
    goal: { most: 500, couchdb: 8400 },
    run: queryGroups
  },
  {
    // A document has changed, and the index is up to date again.
    ...ofGroups,
    name: 'GET view?group_level=1 of 30,000 rows, _stats, the first after a change',
    step: 1,
    goal: { most: 500, couchdb: NaN },
    async ready ({ client, size }, number) {
      await bulkDocs(client, size + number, 1)
      await client.request('GET', `${GROUPED}?reduce=false&limit=0`)
    },
    run: queryGroups
  },
  {
    // The first query that is told to use an index builds it: another index each time.
    unit: 'document',
    name: 'build a Mango index',
    goal: { most: 5, couchdb: 66 },
    size: 5000,
    step: 1,
    most: 200,
    prepare: async (server, { size }) => ({ size, client: await createDatabase(server, size, { connections: 1 }) }),
    async ready ({ client }, number) {
      const index = { fields: ['email'], partial_filter_selector: { age: { $gt: -1 - number } } }
      await client.request('POST', `${DATABASE}/_index`, { json: { index, ddoc: `index-${number}`, name: 'email' } })
    },
    async run ({ client, size }, number) {
      const asked = { selector: { email: 'person.77@example.com' }, use_index: [`index-${number}`, 'email'], allow_fallback: false, execution_stats: true }
      const { docs, execution_stats: stats } = JSON.parse(await client.request('POST', `${DATABASE}/_find`, { json: asked }))
      if (docs.length !== 1 || stats.total_docs_examined > 1) throw new Error(`${docs.length} documents of ${stats.total_docs_examined}`)
      return size
    }
  }
]

/** Rows of the view of names by their keys, in an order that no cache foresees. */
function rowOf (connections, query, part) {
  return {
    prepare: async (server, { size }) => ({ size, client: await createViews(server, size, { connections }) }),
    async run ({ client, size }, start, step) {
      await client.concurrently(start, step, async number => {
        const answer = await client.request('GET', viewPath('names', `key=%22Person%20number%20${number * 7919 % size}%22${query}`))
        if (!answer.includes(part)) throw new Error(`Not its row: ${answer}`)
      })
    }
  }
}

async function withGroups (server, { size }) {
  const client = await createDatabase(server, size, { connections: 1 })
  await client.request('PUT', `${DATABASE}/_design/grouped`, { json: grouped, status: 201 })
  await client.request('GET', `${GROUPED}?group_level=1`)
  return { size, client }
}

async function queryGroups ({ client }, start, step) {
  for (let n = 0; n < step; n++) expectRows(JSON.parse(await client.request('GET', `${GROUPED}?group_level=1`)).rows, GROUPS)
}
