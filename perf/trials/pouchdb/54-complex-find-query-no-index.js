'use strict'

const { findQuery } = require('../../lib/pouchdb/find')

module.exports = findQuery('complex-find-query-no-index', {
  selector: { $and: [{ key: { $gt: 4 } }, { key: { $ne: 7 } }] },
  indexed: false,
  found: ({ key }) => key > 4 && key !== 7
})
