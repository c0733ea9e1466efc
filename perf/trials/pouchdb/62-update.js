'use strict'

const { makeDocuments } = require('../../lib/data')
const { expectWritten } = require('../../lib/pouchdb/load')

const COUNT = 100

/** The same 100 documents updated by `bulkDocs`, again and again. */
module.exports = {
  name: `${COUNT} updates by bulkDocs`,
  unit: 'call',
  size: COUNT,
  step: 1,
  most: 500,
  durable: true,
  async prepare (db) {
    const documents = makeDocuments(0, COUNT)
    keepRevisions(documents, await db.bulkDocs(documents))
    return { db, documents }
  },
  async run ({ db, documents }, start) {
    for (const document of documents) document.age = start
    keepRevisions(documents, await db.bulkDocs(documents))
  }
}

function keepRevisions (documents, results) {
  expectWritten(results)
  for (const [index, { rev }] of results.entries()) documents[index]._rev = rev
}
