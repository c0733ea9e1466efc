'use strict'

const { CouchError, table } = require('@potoroo/errors')
const { CallError, INTERNAL_ERROR } = require('./json-rpc')

/** The code of a refusal is as far below -32000 as its status is above 400. */
const [FIRST, LAST] = [400, 499]

/** Statuses of refusals by CouchDB's words. @type {Map<string, number>} */
const statuses = new Map(Object.values(table).map(({ error, status }) => [error, status]))

/** Milliseconds ran out. */
const TIMEOUT = -32008

/**
 * Returns the answer to a call whose function threw: an error of its own, or one in CouchDB's words.
 *
 * @param {any} thrown `{ code, message, data }` or `{ error, reason, status }`
 */
function errorThrown (thrown) {
  const { code, message, data, error, reason, status } = Object(thrown)
  if (Number.isInteger(code) && typeof message === 'string') return new CallError({ code, message, ...(data !== undefined && { data }) })
  return new CallError({ code: codeOf(Number.isInteger(status) ? status : statuses.get(error)), message: `${reason}`, data: { error, reason } })
}

/**
 * Returns the answer to a call that was stopped by a refused write, a limit, or a function that cannot be run. Any other error is a fault of
 * the server.
 *
 * @param {any} error
 */
function errorOfCall (error) {
  if (error instanceof CallError || !(error instanceof CouchError) || error.code === 'INTERNAL' || error.code === 'CLOSED') return error
  const { id, reason, status } = error
  return new CallError({ code: error.code === 'FUNCTION_TIMEOUT' ? TIMEOUT : codeOf(status), message: reason, data: { error: error.error, reason, ...(id !== undefined && { id }) } })
}

/** @param {number} [status] */
function codeOf (status = 500) { return status >= FIRST && status <= LAST ? -32000 - (status - FIRST) : INTERNAL_ERROR }

module.exports = { errorOfCall, errorThrown }
