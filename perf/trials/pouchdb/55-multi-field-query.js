'use strict'

const { findQuery } = require('../../lib/pouchdb/find')

module.exports = findQuery('multi-field-query', {
  selector: { key: { $gt: 5 }, str: 'foo' },
  indexed: true,
  found: ({ key, str }) => key > 5 && str === 'foo'
})
