'use strict'

const { badRequest } = require('@potoroo/errors')

/**
 * @param {any} limit
 * @param {string} name CouchDB's
 * @returns {number}
 */
function validLimit (limit, name) {
  if (!Number.isSafeInteger(limit) || limit < 1) throw badRequest(`\`${name}\` must be a positive integer`)
  return limit
}

module.exports = { validLimit }
