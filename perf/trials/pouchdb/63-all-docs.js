'use strict'

const { documentId } = require('../../lib/data')
const { load, expectRows } = require('../../lib/pouchdb/load')

const COUNT = 100

/** `allDocs` of 100 documents, with them. */
module.exports = {
  name: `allDocs of ${COUNT}, include_docs`,
  unit: 'call',
  size: 1000,
  step: 1,
  async prepare (db, { size }) {
    await load(db, size)
    return { db, size }
  },
  async run ({ db, size }, start) {
    const first = start * COUNT % (size - COUNT + 1)
    const { rows } = await db.allDocs({ include_docs: true, startkey: documentId(first), limit: COUNT })
    expectRows(rows, COUNT)
    if (rows[0].doc._id !== documentId(first)) throw new Error(`Not the document: ${rows[0].doc._id}`)
  }
}
