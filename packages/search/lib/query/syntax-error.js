'use strict'

const { badRequest } = require('@potoroo/errors')

/** Characters of the query that an error repeats at most. */
const SHOWN = 200

/** The query is no query: a 400 with Lucene's words. @param {string} query @param {string} why */
function cannotParse (query, why) {
  const shown = query.length > SHOWN ? `${query.slice(0, SHOWN)}…` : query
  return badRequest(`Cannot parse '${shown}': ${why}`)
}

module.exports = { cannotParse }
