'use strict'

const { createDatabase } = require('../../lib/http/database')
const { find } = require('../../lib/http/find')

/** The same shape of `_find` over and over, without an index, in 10,000 documents. */
module.exports = {
  name: 'POST _find, again and again without an index',
  unit: 'request',
  size: 10000,
  step: 1,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: 10 }) }
  },
  async run ({ client, size }, start) {
    await find(client, { email: `person.${start * 7919 % size}@example.com` }, 1)
  }
}
