'use strict'

const { CouchError } = require('@potoroo/errors')
const { CallError, INTERNAL_ERROR } = require('./json-rpc')

/** Codes of ours by CouchDB's words for errors: -32000, and what the status is above 400. @type {Record<string, number>} */
const CODES = {
  bad_request: -32000,
  unauthorized: -32001,
  forbidden: -32003,
  not_found: -32004,
  conflict: -32009,
  missing_stub: -32012,
  too_large: -32013
}

/** The first and the last that a status may give. */
const [FIRST, LAST] = [400, 499]

/** Milliseconds ran out. */
const TIMEOUT = -32008

/**
 * What a function threw, as the answer to its call: an error of its own, or one in CouchDB's words.
 *
 * @param {any} thrown `{ code, message, data }` or `{ error, reason }`
 */
function errorThrown (thrown) {
  const { code, message, data, error, reason } = Object(thrown)
  if (Number.isInteger(code) && typeof message === 'string') return new CallError({ code, message, ...(data !== undefined && { data }) })
  return new CallError({ code: Object.hasOwn(CODES, error) ? CODES[error] : INTERNAL_ERROR, message: `${reason}`, data: { error, reason } })
}

/**
 * What stopped a call, as its answer: a refused write, a limit, or a function that cannot be run. Anything else is a fault of the server.
 *
 * @param {any} error
 */
function errorOfCall (error) {
  if (error instanceof CallError || !(error instanceof CouchError) || error.code === 'INTERNAL' || error.code === 'CLOSED') return error
  const { id, reason, status } = error
  return new CallError({ code: codeOf(error, status), message: reason, data: { error: error.error, reason, ...(id !== undefined && { id }) } })
}

/** @param {CouchError} error @param {number} status */
function codeOf ({ code }, status) {
  if (code === 'FUNCTION_TIMEOUT') return TIMEOUT
  return status >= FIRST && status <= LAST ? -32000 - (status - FIRST) : INTERNAL_ERROR
}

module.exports = { errorOfCall, errorThrown }
