'use strict'

const { badRequest } = require('@potoroo/errors')

/** Characters of the query that an error repeats at most. */
const SHOWN = 200

/** @param {string} text */
function shown (text) { return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text }

/** The query is no query: a 400 with Lucene's words. @param {string} query @param {string} why */
function cannotParse (query, why) { return badRequest(`Syntax Error, cannot parse ${shown(query)}: ${why} `) }

module.exports = { cannotParse, shown }
