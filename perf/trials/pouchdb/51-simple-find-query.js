'use strict'

const { findQuery } = require('../../lib/pouchdb/find')

module.exports = findQuery('simple-find-query', {
  selector: { key: 'foo' },
  indexed: true,
  found: () => false
})
