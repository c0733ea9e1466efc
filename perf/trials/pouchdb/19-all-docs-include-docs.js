'use strict'

const { expectRows, load } = require('../../lib/pouchdb/load')
const { makeSmall } = require('../../lib/pouchdb/small')

const COUNT = 100

/** `allDocs` of 100 documents, with them, where every second one is deleted; and a `post`, which changes the count. */
module.exports = {
  name: 'all-docs-include-docs',
  unit: 'call',
  counts: true,
  size: 1000,
  step: 1,
  async prepare (db, { size }) {
    await load(db, size, (number) => ({ ...makeSmall(number), _deleted: number % 2 === 1 }))
    return { db }
  },
  async run ({ db }) {
    const { rows } = await db.allDocs({ include_docs: true, limit: COUNT })
    expectRows(rows, COUNT)
    await db.post({})
  }
}
