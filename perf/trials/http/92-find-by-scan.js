'use strict'

const { createDatabase } = require('../../lib/http/database')
const { find } = require('../../lib/http/find')

/** One document by a field that no index has: all are looked at. */
module.exports = {
  name: 'POST _find, without an index',
  unit: 'document',
  size: 1000,
  step: 1,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: 1 }) }
  },
  async run ({ client, size }, start) {
    await find(client, { email: `person.${start * 7919 % size}@example.com` }, 1)
    return size
  }
}
