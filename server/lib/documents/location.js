'use strict'

/**
 * The absolute URL of what was written, as `Location` says it.
 *
 * @param {any} req
 * @param {...string} segments after the root: database, document, attachment
 */
function locationOf (req, ...segments) {
  const protocol = req.socket.encrypted ? 'https' : 'http'
  const path = segments.map(segment => '/' + encodeURIComponent(segment)).join('')
  return `${protocol}://${req.headers.host ?? 'localhost'}${req.baseUrl ?? ''}${path}`
}

module.exports = { locationOf }
