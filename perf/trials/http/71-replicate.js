'use strict'

const { DATABASE, createDatabase } = require('../../lib/http/database')

/**
 * The server replicates a database to a new one, both by their URLs: what is measured is all that
 * the source, the target and the replicator do, since they are one process here.
 */
module.exports = {
  name: '_replicate of 10,000 documents, both sides and the replicator',
  unit: 'document',
  size: 10_000,
  step: 1,
  needs: 'replication by URLs',
  async prepare (server, { size }) {
    return { client: await createDatabase(server, size, { connections: 1 }), size, url: server.url }
  },
  async ready (state) {
    if (state.target !== undefined) await state.client.request('DELETE', state.target)
    state.target = undefined
  },
  async run (state, start) {
    const { client, size, url } = state
    const target = state.target = `/replica-${start}`
    const answer = JSON.parse(await client.request('POST', '/_replicate', { json: { source: url + DATABASE, target: url + target, create_target: true } }))
    const { docs_written: written } = answer.history?.[0] ?? answer
    if (written !== size) throw new Error(`${written} documents and not ${size}`)
    return size
  }
}
