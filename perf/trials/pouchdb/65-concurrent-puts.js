'use strict'

const { makeDocuments } = require('../../lib/data')
const { expectWritten } = require('../../lib/pouchdb/load')

const COUNT = 1000

/** `put` of new documents by writers who do not wait for each other. */
module.exports = {
  name: `put by ${COUNT} at once`,
  unit: 'document',
  size: 0,
  step: COUNT,
  most: 20_000,
  durable: true,
  async prepare (db) {
    return { db }
  },
  async run ({ db }, start, step) {
    expectWritten(await Promise.all(makeDocuments(start, step).map((document) => db.put(document))))
  }
}
