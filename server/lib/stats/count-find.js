'use strict'

const { numberOf } = require('./metrics')

/** @typedef {import('./statistics').Statistics} Statistics */

const [KEYS, DOCUMENTS, RETURNED, QUERY_TIME] = ['keys_examined', 'docs_examined', 'results_returned', 'query_time'].map(name => numberOf(`mango.${name}`))

/** Counts what a find took, of `_find` or of a query. @param {Statistics} counts @param {{ keys: number, documents: number, returned: number, milliseconds: number }} answer */
function countFind (counts, { keys, documents, returned, milliseconds }) {
  counts.count(KEYS, keys)
  counts.count(DOCUMENTS, documents)
  counts.count(RETURNED, returned)
  counts.note(QUERY_TIME, milliseconds)
}

module.exports = { countFind }
