'use strict'

const { createError } = require('@potoroo/errors')

/** Returns the error for a body that its client did not send to the end. @param {Error} [cause] */
function hungUp (cause) {
  return createError('BAD_REQUEST', { reason: 'The request body could not be read to its end', cause })
}

module.exports = { hungUp }
