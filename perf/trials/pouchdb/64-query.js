'use strict'

const { load, expectRows } = require('../../lib/pouchdb/load')

/** `query` of an index, by key, with nothing changed since the last one. */
module.exports = {
  name: 'query, nothing changed',
  unit: 'query',
  size: 1000,
  step: 10,
  async prepare (db, { size }) {
    await load(db, size)
    await db.put({
      _id: '_design/people',
      views: { 'by-name': { map: 'function (doc) { emit(doc.name) }' } }
    })
    await db.query('people/by-name')
    return { db, size }
  },
  async run ({ db, size }, start, step) {
    for (let index = start; index < start + step; index++) {
      const { rows } = await db.query('people/by-name', { key: `Person number ${index % size}` })
      expectRows(rows, 1)
    }
  }
}
