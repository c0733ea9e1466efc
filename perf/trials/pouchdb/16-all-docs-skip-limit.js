'use strict'

const { expectRows } = require('../../lib/pouchdb/load')
const { prepareSmall } = require('../../lib/pouchdb/small')

module.exports = {
  name: 'all-docs-skip-limit',
  unit: 'round of ten',
  counts: true,
  size: 1000,
  step: 1,
  prepare: prepareSmall,
  async run ({ db }) {
    for (let index = 0; index < 10; index++) {
      const { rows } = await db.allDocs({ skip: index * 100, limit: 10 })
      expectRows(rows, 10)
    }
  }
}
