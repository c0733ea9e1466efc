'use strict'

const { load } = require('../../lib/pouchdb/load')

/** The first query of an index over 1000 documents, which builds it: another index each time. */
module.exports = {
  name: 'build-secondary-index',
  unit: 'build',
  counts: true,
  size: 1000,
  step: 1,
  most: 20,
  async prepare (db, { size }) {
    await load(db, size, () => ({}))
    return { db, size }
  },
  // The number in it makes the functions differ: equal ones would share an index.
  async ready ({ db }, number) {
    const map = `function (doc) { emit(doc._id, ${number}) }`
    await db.put({ _id: `_design/view-${number}`, views: { myview: { map } } })
  },
  async run ({ db, size }, number) {
    const { total_rows: total } = await db.query(`view-${number}/myview`, { limit: 0 })
    if (total !== size) throw new Error(`${total} rows in the index and not ${size}`)
  }
}
