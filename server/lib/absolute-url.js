'use strict'

/**
 * A path of this server as a URL, by the host that the client asked.
 *
 * @param {any} req
 * @param {string} path with its `/`, below where the server is mounted
 */
function absoluteUrl (req, path) {
  const protocol = req.socket.encrypted ? 'https' : 'http'
  return `${protocol}://${req.headers.host ?? 'localhost'}${req.baseUrl ?? ''}${path}`
}

module.exports = { absoluteUrl }
