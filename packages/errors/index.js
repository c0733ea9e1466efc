'use strict'

const { table } = require('./lib/table')
const { CouchError } = require('./lib/couch-error')
const { formatTerm, printTerm, printText } = require('./lib/erlang-term')

module.exports = { CouchError, table, createError: CouchError.create, formatTerm, printTerm, printText }
