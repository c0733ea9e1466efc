'use strict'

const assert = require('node:assert/strict')
const { LocalDatabase } = require('../lib/local/local-database')
const { Server } = require('./support/server')

describe('a database here', () => {
  /** @type {Server} */
  let server
  beforeEach(async () => { server = await Server.open() })
  afterEach(() => server.close())

  /** How many documents of a batch are in memory at a time. */
  async function partsOf (count, length) {
    const store = await server.databases.create('a')
    const written = await store.write(Array.from({ length: count }, (_, n) => ({ _id: `d${n}`, text: 'x'.repeat(length) })))
    const databases = /** @type {any} */ ({ open: async () => ({ database: store, formatSequence: String, parseSequence: Number }) })
    const database = new LocalDatabase('a', { databases, user: null, request: /** @type {any} */ ({}), signal: new AbortController().signal })
    await database.open(false)
    const parts = []
    for await (const part of database.fetch(written.map(({ id, rev }) => ({ id, rev, attsSince: [] })))) parts.push(part)
    assert.deepEqual(parts.flat().map(({ id }) => id), written.map(({ id }) => id))
    return parts.map(part => part.length)
  }

  it('is read in few parts', async () => assert.deepEqual(await partsOf(500, 1), [32, 468]))

  it('is read a few documents at a time where they are long', async () => assert.deepEqual(await partsOf(64, 512 * 1024), [32, 15, 15, 2]))
})
