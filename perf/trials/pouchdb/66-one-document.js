'use strict'

const { makeDocument } = require('../../lib/data')

/** One document is updated again and again: after 1000 times its oldest revisions are forgotten. */
module.exports = {
  name: 'update of one document with 1000 revisions',
  unit: 'put',
  size: 1000,
  step: 20,
  async prepare (db, { size }) {
    const state = { db, document: makeDocument(0) }
    await this.run(state, 0, size)
    return state
  },
  async run ({ db, document }, start, step) {
    for (let number = start; number < start + step; number++) {
      document.age = number
      const { rev } = await db.put(document)
      document._rev = rev
    }
  }
}
