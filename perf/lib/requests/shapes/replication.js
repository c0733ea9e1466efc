'use strict'

const { makeDocument } = require('../../data')
const { DATABASE } = require('../../http/database')

const COUNT = 10_000

/**
 * A PouchDB in memory, in this process, whose time does not count.
 * @type {import('../catalogue').Shape[]}
 */
module.exports = [
  {
    name: 'PouchDB pulls 10,000 documents',
    unit: 'document',
    units: COUNT,
    size: COUNT,
    connections: [1],
    step: 1,
    async request (client, { url, stamp }, n) {
      const local = new (load())(`pull-${stamp}-${n}`, { adapter: 'memory' })
      const { docs_written: written } = await local.replicate.from(url + DATABASE, { batch_size: 1000 })
      await local.destroy()
      if (written < COUNT) throw new Error(`${written} documents came`)
    }
  },
  {
    name: 'PouchDB pushes 10,000 documents',
    unit: 'document',
    units: COUNT,
    connections: [1],
    step: 1,
    async ready (client, state, n) {
      state.local = new (load())(`push-${state.stamp}-${n}`, { adapter: 'memory' })
      const docs = Array.from({ length: COUNT }, (_, i) => ({ ...makeDocument(i), _id: `pushed-${n}-${i}` }))
      await state.local.bulkDocs(docs)
    },
    async request (client, { url, local }) {
      const { docs_written: written } = await local.replicate.to(url + DATABASE, { batch_size: 1000 })
      await local.destroy()
      if (written !== COUNT) throw new Error(`${written} documents went`)
    }
  }
]

let PouchDB = null

function load () {
  PouchDB ??= require('pouchdb-core')
    .plugin(require('pouchdb-adapter-memory'))
    .plugin(require('pouchdb-adapter-http'))
    .plugin(require('pouchdb-replication'))
  return PouchDB
}
