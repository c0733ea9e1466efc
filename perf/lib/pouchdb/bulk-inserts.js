'use strict'

const { expectWritten } = require('./load')

/** A case of PouchDB's: one `bulkDocs` of the same documents, without ids, again and again. */
function bulkInserts (name, { docs, most }) {
  return {
    name,
    unit: 'call',
    counts: true,
    size: 0,
    step: 1,
    most,
    async prepare (db) {
      return { db, docs: docs() }
    },
    async run ({ db, docs }) {
      expectWritten(await db.bulkDocs(docs))
    }
  }
}

module.exports = { bulkInserts }
