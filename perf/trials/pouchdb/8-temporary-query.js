'use strict'

const { load, expectRows } = require('../../lib/pouchdb/load')

/** `query` with a function: an index for one use. */
module.exports = {
  name: 'temporary query over 1000 documents',
  unit: 'query',
  size: 1000,
  step: 1,
  async prepare (db, { size }) {
    await load(db, size)
    return { db, size }
  },
  async run ({ db, size }) {
    const { rows } = await db.query((doc, emit) => emit(doc.age))
    expectRows(rows, size)
  }
}
