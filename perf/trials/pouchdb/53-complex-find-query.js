'use strict'

const { findQuery } = require('../../lib/pouchdb/find')

module.exports = findQuery('complex-find-query', {
  selector: { $and: [{ key: { $gt: 4 } }, { key: { $ne: 7 } }] },
  indexed: true,
  found: ({ key }) => key > 4 && key !== 7
})
