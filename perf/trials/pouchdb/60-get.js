'use strict'

const { documentId } = require('../../lib/data')
const { load } = require('../../lib/pouchdb/load')

/** `get`, one after the other. */
module.exports = {
  name: 'get',
  unit: 'document',
  size: 1000,
  step: 100,
  async prepare (db, { size }) {
    await load(db, size)
    return { db, size }
  },
  async run ({ db, size }, start, step) {
    // A step that has no divisor in common with the usual sizes, so neighbours are not read together.
    for (let index = start; index < start + step; index++) await db.get(documentId(index * 7919 % size))
  }
}
