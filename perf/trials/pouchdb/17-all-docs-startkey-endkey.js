'use strict'

const { documentId } = require('../../lib/data')
const { expectRows } = require('../../lib/pouchdb/load')
const { prepareSmall } = require('../../lib/pouchdb/small')

module.exports = {
  name: 'all-docs-startkey-endkey',
  unit: 'round of ten',
  counts: true,
  size: 1000,
  step: 1,
  prepare: prepareSmall,
  async run ({ db }) {
    for (let first = 0; first < 1000; first += 100) {
      const { rows } = await db.allDocs({ startkey: documentId(first), endkey: documentId(first + 10) })
      expectRows(rows, 11)
    }
  }
}
