'use strict'

const { documentId } = require('../../lib/data')
const { prepareSmall } = require('../../lib/pouchdb/small')

module.exports = {
  name: 'basic-gets',
  unit: 'document',
  counts: true,
  size: 1000,
  step: 100,
  prepare: prepareSmall,
  async run ({ db, size }, start, step) {
    for (let index = start; index < start + step; index++) await db.get(documentId(index % size))
  }
}
