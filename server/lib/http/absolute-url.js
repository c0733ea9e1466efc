'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** The headers in which a proxy says how it was asked, where `[chttpd]` names no others. @type {Record<string, string>} */
const STANDARD = { x_forwarded_proto: 'X-Forwarded-Proto', x_forwarded_ssl: 'X-Forwarded-Ssl' }

/**
 * A path of this server as a URL, by the host that the client asked: of a proxy that `[chttpd] trusted_proxies`
 * names, or by the Unix socket, as `X-Forwarded-Host`, `-Proto` and `-Ssl` say it.
 *
 * @param {PotorooRequest} req
 * @param {string} path with its `/`, below where the server is mounted
 */
function absoluteUrl (req, path) {
  const proxied = isProxied(req)
  return `${schemeOf(req, proxied)}://${hostOf(req, proxied)}${req.baseUrl ?? ''}${path}`
}

/** A client that asks for itself is not believed: a cache in front would send others where it says. @param {PotorooRequest} req */
function isProxied ({ service, socket }) {
  return service?.authSettings !== undefined && service.authSettings.now.peers.proxies.has(socket.remoteAddress ?? '')
}

/** @param {PotorooRequest} req @param {boolean} proxied */
function schemeOf (req, proxied) {
  if (proxied && (forwarded(req, 'x_forwarded_ssl') === 'on' || forwarded(req, 'x_forwarded_proto') === 'https')) return 'https'
  return req.socket.encrypted ? 'https' : 'http'
}

/** @param {PotorooRequest} req @param {boolean} proxied */
function hostOf (req, proxied) {
  const host = proxied ? forwarded(req, 'x_forwarded_host') : undefined
  if (host !== undefined && /^[\w.:[\]-]+$/.test(host)) return host
  return req.headers.host ?? req.headers[':authority'] ?? ownHost(req.socket)
}

/** Each proxy of a chain may add its own: the first is what the client asked. @param {PotorooRequest} req @param {string} key */
function forwarded ({ headers, service }, key) {
  const name = service.config.get('chttpd', key) || STANDARD[key]
  return headers[name.toLowerCase()]?.split(',', 1)[0].trim()
}

/** A client of HTTP/1.0 may say no host. @param {{ localAddress?: string, localPort?: number }} socket */
function ownHost ({ localAddress, localPort }) {
  if (localAddress === undefined) return 'localhost'
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}

module.exports = { absoluteUrl }
