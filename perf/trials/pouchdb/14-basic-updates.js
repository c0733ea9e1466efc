'use strict'

const { expectWritten } = require('../../lib/pouchdb/load')

const COUNT = 100

/** Reads 100 empty documents with `allDocs` and writes them back with `bulkDocs`, again and again. */
module.exports = {
  name: 'basic-updates',
  unit: 'call',
  counts: true,
  size: COUNT,
  step: 1,
  most: 200,
  durable: true,
  async prepare (db, { size }) {
    expectWritten(await db.bulkDocs(Array.from({ length: size }, () => ({}))))
    return { db }
  },
  async run ({ db }) {
    const { rows } = await db.allDocs({ include_docs: true })
    expectWritten(await db.bulkDocs(rows.map(({ doc }) => doc)))
  }
}
