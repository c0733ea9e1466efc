'use strict'

const { createIndexed, find } = require('../../lib/http/find')

/** One document by its name, in an index in which nothing changed, by 10 clients. */
module.exports = {
  name: 'POST _find, one document by an index',
  unit: 'request',
  size: 1000,
  step: 250,
  async prepare (server, { size }) {
    return { size, client: await createIndexed(server, size) }
  },
  async run ({ client, size }, start, step) {
    await client.concurrently(start, step, index => find(client, { name: `Person number ${index * 7919 % size}` }, 1))
  }
}
