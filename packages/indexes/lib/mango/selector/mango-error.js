'use strict'

const { createError, formatTerm } = require('@potoroo/errors')

/**
 * One of Mango's own errors, by the words that CouchDB has for it.
 *
 * @param {string} error
 * @param {string} reason
 */
function mangoError (error, reason) { return createError('BAD_REQUEST', { error, reason }) }

/** @param {string} operator @param {any} argument */
function badArgument (operator, argument) {
  return mangoError('bad_arg', `Bad argument for operator ${operator}: ${formatTerm(argument)}`)
}

module.exports = { mangoError, badArgument }
