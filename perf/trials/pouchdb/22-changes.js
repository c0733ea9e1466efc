'use strict'

const { expectRows, load } = require('../../lib/pouchdb/load')

/** All changes from 0. */
module.exports = {
  name: 'changes from 0, 1000 documents',
  unit: 'call',
  counts: true,
  size: 1000,
  step: 1,
  async prepare (db, { size }) {
    await load(db, size)
    return { db, size }
  },
  async run ({ db, size }) {
    const { results } = await db.changes({ since: 0 })
    expectRows(results, size)
  }
}
