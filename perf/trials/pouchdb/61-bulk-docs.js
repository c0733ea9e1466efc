'use strict'

const { makeDocuments } = require('../../lib/data')
const { expectWritten } = require('../../lib/pouchdb/load')

const COUNT = 100

/** `bulkDocs` of 100 new documents. */
module.exports = {
  name: `bulkDocs of ${COUNT}`,
  unit: 'call',
  size: 0,
  step: 1,
  most: 500,
  durable: true,
  async prepare (db) {
    return { db }
  },
  async run ({ db }, start) {
    expectWritten(await db.bulkDocs(makeDocuments(start * COUNT, COUNT)))
  }
}
