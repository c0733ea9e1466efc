'use strict'

const { createDatabase } = require('../../lib/http/database')
const { find, learn } = require('../../lib/http/find')

/** The same in a database that has learned an index from it. */
module.exports = {
  name: 'POST _find, again and again, adaptive',
  unit: 'request',
  size: 10000,
  step: 250,
  needs: 'adaptive indexes',
  async prepare (server, { size }) {
    const client = await createDatabase(server, size, { connections: 10 })
    await learn(client, { email: 'person.1@example.com' })
    return { size, client }
  },
  async run ({ client, size }, start, step) {
    await client.concurrently(start, step, index => find(client, { email: `person.${index * 7919 % size}@example.com` }, 1))
  }
}
