'use strict'

const { loadKeys, queryRanges } = require('../../lib/pouchdb/views')

/** Five queries at once with a function, each of which is an index for one use. */
module.exports = {
  name: 'temp-views',
  unit: 'round of five',
  counts: true,
  size: 1200,
  step: 1,
  async prepare (db) {
    await loadKeys(db)
    return { db }
  },
  async run ({ db }) {
    await queryRanges((range) => db.query((doc, emit) => emit(doc.key), range))
  }
}
