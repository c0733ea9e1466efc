'use strict'

const { makeDocument } = require('../data')

const BATCH = 500

/** Puts the documents 0 to size - 1 into a PouchDB. */
async function load (db, size, make = makeDocument) {
  for (let start = 0; start < size; start += BATCH) {
    const count = Math.min(BATCH, size - start)
    expectWritten(await db.bulkDocs(Array.from({ length: count }, (_, index) => make(start + index))))
  }
}

/** Throws where a result has not as many rows as it must. */
function expectRows (rows, count) {
  if (rows.length !== count) throw new Error(`${rows.length} rows and not ${count}`)
}

/** Throws where a document of `bulkDocs` was not written. */
function expectWritten (results) {
  const refused = results.find((result) => !result.ok)
  if (refused) throw new Error(`Not written: ${JSON.stringify(refused)}`)
}

module.exports = { load, expectRows, expectWritten }
