'use strict'

/**
 * Whose request it is, for counting wrong passwords: the address of the connection, or behind a
 * proxy on a private network what that proxy says in `X-Forwarded-For`, as CouchDB takes it.
 * `[chttpd] peer_header` names another header, in place of both.
 *
 * @param {any} req
 * @param {string} header of the configuration, in lower case; '' for none
 * @returns {string}
 */
function clientAddress (req, header) {
  if (header !== '') return String(req.headers[header] ?? '')
  const address = req.socket.remoteAddress ?? ''
  const forwarded = req.headers['x-forwarded-for']
  if (forwarded === undefined || !isPrivate(address)) return address
  return String(forwarded).split(',').at(-1)?.trim() || address
}

function isPrivate (address) {
  return /^(::ffff:)?(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|^::1$|^$/.test(address)
}

module.exports = { clientAddress }
