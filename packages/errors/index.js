'use strict'

const { table } = require('./lib/table')
const { CouchError, badRequest } = require('./lib/couch-error')
const { formatTerm, printTerm, printText } = require('./lib/erlang-term')

// Node.js finds the names for `import { … }` among plain ones only.
const createError = CouchError.create

module.exports = { CouchError, table, badRequest, createError, formatTerm, printTerm, printText }
