'use strict'

const { bulkInserts } = require('../../lib/pouchdb/bulk-inserts')

const DEPTH = 6

/** A tree of six levels with four branches each, and ten members in each of the 4096 leaves. */
function makeMassive (level = 1) {
  const deepest = level > DEPTH
  return Object.fromEntries(Array.from({ length: deepest ? 10 : 4 }, (_, number) =>
    [`sovery${number}`, deepest ? `${number}cool` : makeMassive(level + 1)]))
}

/** A fifth of PouchDB's documents. */
module.exports = bulkInserts('bulk-inserts-massive-docs', {
  docs: () => Array.from({ length: 10 }, () => makeMassive()),
  most: 20
})
