'use strict'

const { documentId } = require('../../lib/data')
const { expectRows } = require('../../lib/pouchdb/load')
const { prepareSmall } = require('../../lib/pouchdb/small')

const COUNT = 50

/** 50 documents from all over the database, with them. */
module.exports = {
  name: 'all-docs-keys',
  unit: 'call',
  counts: true,
  size: 1000,
  step: 1,
  prepare: prepareSmall,
  async run ({ db, size }, start) {
    const keys = Array.from({ length: COUNT }, (_, index) => documentId((start * COUNT + index) * 7919 % size))
    const { rows } = await db.allDocs({ keys, include_docs: true })
    expectRows(rows, COUNT)
    if (rows[COUNT - 1].doc._id !== keys[COUNT - 1]) throw new Error(`Not the document: ${rows[COUNT - 1].doc._id}`)
  }
}
