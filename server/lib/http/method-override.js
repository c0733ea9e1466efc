'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** Not HEAD: who sends POST waits for a body. */
/** @type {Set<string | undefined>} */
const METHODS = new Set(['GET', 'PUT', 'DELETE', 'COPY'])

/**
 * Clients that know GET and POST alone say with `X-HTTP-Method-Override` what a POST is to be.
 * @param {PotorooRequest} req
 * @see https://docs.couchdb.org/en/stable/api/basics.html#request-headers
 */
function overrideMethod (req) {
  const method = req.headers['x-http-method-override']
  if (req.method === 'POST' && METHODS.has(method)) req.method = /** @type {string} */ (method)
}

module.exports = { overrideMethod }
