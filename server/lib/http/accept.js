'use strict'

const Negotiator = require('negotiator')

/**
 * Whether the client takes a content type, which it does when it says nothing.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} type `multipart/mixed`
 */
function accepts (req, type) {
  return new Negotiator(req).mediaType([type]) !== undefined
}

/**
 * Whether the client takes content of this encoding. A client that says nothing takes none.
 *
 * @param {import('../dispatch/request').PotorooRequest} req
 * @param {string} encoding `gzip`
 */
function acceptsEncoding (req, encoding) {
  return new Negotiator(req).encoding([encoding]) !== undefined
}

module.exports = { accepts, acceptsEncoding }
