'use strict'

const { documentId, makeDocument } = require('../../lib/data')
const { DATABASE, createDatabase } = require('../../lib/http/database')

const CONNECTIONS = 50

/** `PUT` of new documents, by 50 clients. */
module.exports = {
  name: `PUT /db/doc, new, ${CONNECTIONS} connections`,
  unit: 'request',
  size: 0,
  step: 250,
  durable: true,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: CONNECTIONS }) }
  },
  async run ({ client, size }, start, step) {
    await client.concurrently(size + start, step, (number) => {
      return client.request('PUT', `${DATABASE}/${documentId(number)}`, { json: makeDocument(number), status: 201 })
    })
  }
}
