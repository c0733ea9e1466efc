'use strict'

const { table } = require('./lib/table')
const { CouchError } = require('./lib/couch-error')

module.exports = { CouchError, table, createError: CouchError.create }
