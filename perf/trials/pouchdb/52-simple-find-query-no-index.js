'use strict'

const { findQuery } = require('../../lib/pouchdb/find')

module.exports = findQuery('simple-find-query-no-index', {
  selector: { key: 'foo' },
  indexed: false,
  found: () => false
})
