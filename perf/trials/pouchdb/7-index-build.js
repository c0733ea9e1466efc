'use strict'

const { load, expectRows } = require('../../lib/pouchdb/load')

const BUILDS = 50

/** The first query of a persisted index, which builds it: a new one each time. */
module.exports = {
  name: 'build an index over 1000 documents',
  unit: 'build',
  size: 1000,
  step: 1,
  most: BUILDS,
  async prepare (db, { size }) {
    await load(db, size)
    for (let number = 0; number < BUILDS; number++) await db.put(designDocument(number))
    return { db, size }
  },
  async run ({ db, size }, start) {
    const { rows } = await db.query(`index-${start}/by-age`)
    expectRows(rows, size)
  }
}

// The number in it makes the functions differ: equal ones would share an index.
function designDocument (number) {
  return {
    _id: `_design/index-${number}`,
    views: { 'by-age': { map: `function (doc) { emit(doc.age, ${number}) }` } }
  }
}
