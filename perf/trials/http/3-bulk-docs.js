'use strict'

const { createDatabase, bulkDocs } = require('../../lib/http/database')

const COUNT = 1000

/** `_bulk_docs` of 1000 new documents. */
module.exports = {
  name: `POST _bulk_docs of ${COUNT}`,
  unit: 'document',
  size: 0,
  step: COUNT,
  most: 100_000,
  durable: true,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: 1 }) }
  },
  run ({ client, size }, start, step) {
    return bulkDocs(client, size + start, step)
  }
}
