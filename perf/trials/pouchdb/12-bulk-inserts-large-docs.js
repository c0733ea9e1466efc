'use strict'

const { bulkInserts } = require('../../lib/pouchdb/bulk-inserts')

/** 100 members each. */
function makeLarge () {
  return Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`hello${number}`, `hey${number}`]))
}

module.exports = bulkInserts('bulk-inserts-large-docs', {
  docs: () => Array.from({ length: 100 }, makeLarge),
  most: 100
})
