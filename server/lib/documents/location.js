'use strict'

const { absoluteUrl } = require('../absolute-url')

/**
 * The absolute URL of what was written, as `Location` says it.
 *
 * @param {any} req
 * @param {...string} segments after the root: database, document, attachment
 */
function locationOf (req, ...segments) {
  return absoluteUrl(req, segments.map(segment => '/' + encodeURIComponent(segment)).join(''))
}

module.exports = { locationOf }
