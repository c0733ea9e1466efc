'use strict'

/** What pouchdb-find's tests use of it. */
module.exports = Promise
