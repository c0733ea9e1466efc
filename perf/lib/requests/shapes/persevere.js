'use strict'

const { DATABASE } = require('../../http/database')
const { find } = require('../../http/find')

/**
 * Persevere's test: 10 clients, each with 200 inserts, updates, and queries by an index.
 * @type {import('../catalogue').Shape[]}
 */
module.exports = [
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
      await client.request('POST', `${DATABASE}/_index`, { json: { index: { fields: ['number'] }, ddoc: 'numbers', name: 'numbers' } })
      for (let n = 0; n < 200; n++) await insert(client, stamp, n)
      await find(client, { number: 1 }, 1)
    },
    request: (client, state, n) => find(client, { number: n % 200 }, 1)
  }
]

function insert (client, stamp, n) {
  return client.request('PUT', `${DATABASE}/person-${stamp}-${n}`, { json: { firstName: `First ${n}`, number: n }, status: 201 })
}
