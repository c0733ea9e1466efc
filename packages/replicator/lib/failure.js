'use strict'

const { CouchError, createError } = require('@potoroo/errors')
const { nameOf } = require('./request')

/** CouchDB's words for a side that cannot be opened. */
function openFailure (error, endpoint) {
  if (error.status === 404 || error.reason === 'no_db_file' || error.name === 'not_found') {
    return createError('NO_DATABASE', { error: 'db_not_found', reason: `could not open ${nameOf(endpoint)}`, cause: error })
  }
  if (endpoint.url !== undefined && (error.status === 401 || error.status === 403)) {
    return createError('UNAUTHORIZED', { reason: `unauthorized to access or create database ${nameOf(endpoint)}`, cause: error })
  }
  if (error instanceof CouchError) return error
  return createError('INTERNAL', { error: 'db_not_found', status: 404, reason: `could not open ${nameOf(endpoint)}: ${messageOf(error)}`, cause: error })
}

/** An error of pouchdb-replication as an answer. */
function replicationFailure (error) {
  if (error instanceof CouchError) return error
  const status = Number.isInteger(error.status) && error.status >= 400 && error.status < 600 ? error.status : 500
  return createError('INTERNAL', { status, error: error.name && error.name !== 'Error' ? String(error.name) : 'replication_error', reason: messageOf(error), cause: undefined })
}

function messageOf (error) {
  // fetch says "fetch failed" and keeps the cause to itself.
  return String(error.cause?.message ?? error.reason ?? error.message ?? error)
}

module.exports = { openFailure, replicationFailure }
