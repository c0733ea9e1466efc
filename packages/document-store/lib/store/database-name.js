'use strict'

const { createError } = require('@potoroo/errors')

/** The databases that CouchDB has itself. */
const OF_THE_SERVER = ['_global_changes', '_replicator', '_users']

/**
 * Whether a database may have this name over HTTP. The store itself takes others, as PouchDB does.
 *
 * @param {string} name
 * @see https://docs.couchdb.org/en/stable/api/database/common.html#put--db
 */
function isLegalName (name) {
  return OF_THE_SERVER.includes(name) || (/^[a-z][a-z0-9_$()+/-]*$/.test(name) && name.length <= 238)
}

/** CouchDB's words. @param {string} name */
function illegalName (name) {
  return createError('ILLEGAL_DATABASE_NAME', {
    reason: `Name: '${name}'. Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.`
  })
}

module.exports = { illegalName, isLegalName }
