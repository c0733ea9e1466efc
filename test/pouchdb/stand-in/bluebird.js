'use strict'

/** The part that pouchdb-find's tests use. */
module.exports = Promise
