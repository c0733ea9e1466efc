'use strict'

const { createError } = require('@potoroo/errors')

/**
 * A query that cannot be read.
 *
 * @param {string} problem
 * @param {number} at the character, from 0
 */
function unreadable (problem, at) { return createError('QUERY_PARSE_ERROR', { reason: `${problem} at character ${at + 1} of the query` }) }

/** A query that asks for too much. @param {string} reason */
function tooMuch (reason) { return createError('BAD_REQUEST', { error: 'query_too_large', reason }) }

module.exports = { tooMuch, unreadable }
