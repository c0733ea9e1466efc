'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('./trusted-proxies').TrustedProxies} TrustedProxies */

/**
 * The client of a request, for counting wrong passwords: the address of the connection, or, where that is a
 * proxy that is trusted, what it says in `X-Forwarded-For`. `[chttpd] peer_header` names another header
 * in place of that one.
 *
 * @param {PotorooRequest} req
 * @param {import('./trusted-proxies').Peers} peers
 * @returns {string} '' of a Unix socket
 */
function clientAddress (req, { header, proxies }) {
  const address = req.socket.remoteAddress ?? ''
  const forwarded = req.headers[header === '' ? 'x-forwarded-for' : header]
  if (forwarded === undefined || !proxies.has(address)) return address
  if (header !== '') return String(forwarded)
  return lastStranger(String(forwarded).split(','), proxies) || address
}

/**
 * Each proxy adds at the end from whom it has the request; what comes before a stranger's address, the stranger may have made up.
 *
 * @param {string[]} addresses
 * @param {TrustedProxies} proxies
 */
function lastStranger (addresses, proxies) {
  let address = ''
  for (let i = addresses.length - 1; i >= 0; i--) {
    address = addresses[i].trim()
    if (!proxies.has(address)) return address
  }
  return address
}

module.exports = { clientAddress }
