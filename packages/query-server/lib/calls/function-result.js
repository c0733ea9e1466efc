'use strict'

const { createError } = require('@potoroo/errors')

/** Names of errors that a function may throw, and what they mean over HTTP; all others are 500. @type {Record<string, number>} */
const STATUS = {
  bad_request: 400,
  query_parse_error: 400,
  illegal_docid: 400,
  illegal_partition: 400,
  doc_validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  missing_stub: 412,
  expectation_failed: 417
}

/** @typedef {['info' | 'warning', string]} Line that a function logged */

/**
 * Takes the prelude's text apart (see prelude.js).
 *
 * @param {string} text
 * @returns {{ lines: Line[], answer: string }} what was logged, and JSON
 * @throws what the function threw, with `lines`
 */
function readAnswer (text) {
  const end = text.indexOf('\n')
  const lines = end > 0 ? readLines(text.slice(0, end)) : []
  const answer = text.slice(end + 2)
  if (text[end + 1] === '+') return { lines, answer }
  throw Object.assign(failureError(parsed(answer)), { lines })
}

/** @param {string} text @returns {Line[]} */
function readLines (text) {
  const lines = parsed(text)
  if (!Array.isArray(lines) || !lines.every(Array.isArray)) throw nonsense()
  return lines.map(([level, message]) => /** @type {Line} */ ([level === 'warning' ? 'warning' : 'info', `${message}`]))
}

const NEWLINE = 10
const PLAIN = 61
const QUOTED = 34
const FAILED = 33

/**
 * A piece of what a list function sends (see prelude-render.js).
 *
 * @typedef {{ head?: any, body: Buffer, failure?: import('@potoroo/errors').CouchError }} Piece
 *   head: what `start` was given, in the first one; failure: what the function threw after it had sent the body
 *
 * @param {Buffer} bytes
 * @returns {Piece}
 */
function readPiece (bytes) {
  const end = bytes.indexOf(NEWLINE)
  const head = end > 0 ? parsed(bytes.toString('utf8', 0, end)) : undefined
  const rest = bytes.subarray(end + 2)
  switch (bytes[end + 1]) {
    case PLAIN: return { head, body: rest }
    case QUOTED: return { head, body: Buffer.from(`${parsed(rest.toString())}`) }
    case FAILED: return failedPiece(head, parsed(rest.toString()))
    default: throw nonsense()
  }
}

/** @param {any} head @param {any} failure as JSON has it @returns {Piece} */
function failedPiece (head, failure) {
  return { head, body: Buffer.from(`${Object(failure).text ?? ''}`), failure: failureError(failure) }
}

/**
 * Returns whether a batch of a kind is answered so. A function that changes what JSON is made with gets an error.
 *
 * @param {unknown} answer
 * @param {number} count
 */
function isAnswer (answer, count) { return Array.isArray(answer) && answer.length === count }

/**
 * Says what stopped the engine, in CouchDB's words.
 * @param {import('../threads/thread').Answer} result
 */
function breakage ({ broken, reason }) {
  if (broken === 'time') return createError('FUNCTION_TIMEOUT')
  return createError('FUNCTION_ERROR', { error: 'os_process_error', reason: broken === 'memory' ? 'out of memory' : `${reason}` })
}

/**
 * Reads JSON. A function that changes what JSON is made with gets an error.
 *
 * @param {string} text
 * @returns {any}
 */
function parsed (text) {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw nonsense(cause)
  }
}

/** @param {unknown} [cause] */
function nonsense (cause = undefined) {
  return createError('FUNCTION_CRASHED', { cause })
}

/** @param {unknown} failure as JSON has it */
function failureError (failure) {
  const { error, reason } = Object(failure)
  if (typeof error !== 'string' || typeof reason !== 'string') return nonsense()
  return createError('FUNCTION_ERROR', { error, reason, ...(Object.hasOwn(STATUS, error) && { status: STATUS[error] }) })
}

module.exports = { breakage, failureError, isAnswer, nonsense, parsed, readAnswer, readPiece }
