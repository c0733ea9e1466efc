'use strict'

const { bulkInserts } = require('../../lib/pouchdb/bulk-inserts')

module.exports = bulkInserts('bulk-inserts', {
  docs: () => Array.from({ length: 100 }, () => ({ much: 'docs', very: 'bulk' })),
  most: 500
})
