'use strict'

const { makeDocuments } = require('../data')

const BATCH = 500

/** Puts the documents 0 to size - 1 into a PouchDB. */
async function load (db, size) {
  for (let start = 0; start < size; start += BATCH) {
    await db.bulkDocs(makeDocuments(start, Math.min(BATCH, size - start)))
  }
}

/** Throws where a result has not as many rows as it must. */
function expectRows (rows, count) {
  if (rows.length !== count) throw new Error(`${rows.length} rows and not ${count}`)
}

module.exports = { load, expectRows }
