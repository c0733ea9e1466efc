'use strict'

const { documentId } = require('../../data')
const { DATABASE, expectRows } = require('../../http/database')

/** @type {import('../catalogue').Shape[]} */
module.exports = [
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
  }
]
