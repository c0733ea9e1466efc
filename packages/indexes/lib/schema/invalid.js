'use strict'

const { createError } = require('@potoroo/errors')

/**
 * The refusal of a schema.
 *
 * @param {string} place in it, a JSON pointer
 * @param {string} words
 */
function invalid (place, words) { return createError('BAD_REQUEST', { error: 'invalid_schema', reason: `The schema${place === '' ? '' : ` at ${place}`} ${words}` }) }

module.exports = { invalid }
