'use strict'

const { createError } = require('@potoroo/errors')

/** Returns the error of a body that ends before its end. @param {Error} [cause] */
function hungUp (cause) {
  return createError('BAD_REQUEST', { reason: 'The request body could not be read to its end', cause })
}

module.exports = { hungUp }
