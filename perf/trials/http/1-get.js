'use strict'

const { documentId } = require('../../lib/data')
const { DATABASE, createDatabase } = require('../../lib/http/database')

/** `GET` of a document, by 10 clients. */
module.exports = {
  name: 'GET /db/doc',
  unit: 'request',
  size: 1000,
  step: 250,
  async prepare (server, { size }) {
    return { size, client: await createDatabase(server, size, { connections: 10 }) }
  },
  async run ({ client, size }, start, step) {
    await client.concurrently(start, step, async (index) => {
      const answer = await client.request('GET', `${DATABASE}/${documentId(index * 7919 % size)}`)
      if (!answer.includes('"_rev"')) throw new Error(`Not a document: ${answer}`)
    })
  }
}
