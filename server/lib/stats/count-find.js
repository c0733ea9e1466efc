'use strict'

const { numberOf } = require('./metrics')

/** @typedef {import('./statistics').Statistics} Statistics */

const [KEYS, DOCUMENTS, RETURNED, QUERY_TIME, UNINDEXED, INVALID, TOO_MANY] =
  ['keys_examined', 'docs_examined', 'results_returned', 'query_time', 'unindexed_queries', 'query_invalid_index', 'too_many_docs_scanned'].map(name => numberOf(`mango.${name}`))

/** Counts what a find took, of `_find` or of a query. @param {Statistics} counts @param {import('@potoroo/indexes').FindAnswer['figures']} answer */
function countFind (counts, { keys, documents, returned, milliseconds, warnings }) {
  counts.count(KEYS, keys)
  counts.count(DOCUMENTS, documents)
  counts.count(RETURNED, returned)
  if (warnings.unindexed) counts.count(UNINDEXED)
  if (warnings.invalidIndex) counts.count(INVALID)
  if (warnings.tooMany) counts.count(TOO_MANY)
  counts.note(QUERY_TIME, milliseconds)
}

module.exports = { countFind }
