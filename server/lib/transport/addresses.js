'use strict'

const { isMode } = require('../config/checks')
const { defaults } = require('../config/defaults')

/** @typedef {import('../config/config').Config} Config */

/**
 * An address that a server listens on: of TCP, or a Unix socket.
 * @typedef {{ host: string | undefined, port: number, secure: boolean } | { path: string, mode: number, secure: false }} Address
 */

/**
 * `[chttpd] bind_address` and `port`, `[ssl]`, and what was said at start in their place.
 *
 * @param {import('../config/config').Config} config
 * @param {{ port?: number, host?: string, socket?: string }} options
 * @returns {Address[]} the one that the server is called by comes first
 */
function addresses (config, { port, host, socket }) {
  const { hosts, sockets } = parseHosts(host ?? boundTo(config))
  if (socket !== undefined) sockets.push(socket)
  const plain = hosts.map((/** @type {string | undefined} */ each) => ({ host: each, port: port ?? config.integer('chttpd', 'port'), secure: false }))
  const mode = parseMode(config.get('chttpd', 'socket_mode'))
  return [...plain, ...secureAddresses(config, host), ...sockets.map((/** @type {string} */ path) => ({ path, mode, secure: /** @type {false} */ (false) }))]
}

/** @param {Config} config @param {string | undefined} host */
function secureAddresses (config, host) {
  if (!config.boolean('ssl', 'enable') && config.get('daemons', 'httpsd') !== LEGACY_TLS) return []
  const text = config.get('ssl', 'bind_address') || host || boundTo(config)
  return parseHosts(text).hosts.map((/** @type {string | undefined} */ each) => ({ host: each, port: config.integer('ssl', 'port'), secure: true }))
}

/** Before `[ssl] enable` CouchDB was told so to serve TLS, and still may be. */
const LEGACY_TLS = '{chttpd, start_link, [https]}'

/** Nothing means the address by default: nobody would be heard. @param {Config} config @returns {string} */
function boundTo (config) { return config.get('chttpd', 'bind_address').replace(/^[\s,]*$/, '') || defaults.chttpd.bind_address }

/** `127.0.0.1, ::1, unix:/run/potoroo.sock`; `any` for all addresses. @param {string} text */
function parseHosts (text) {
  const parts = text.split(',').map(part => part.trim()).filter(Boolean)
  /** @param {string} part */
  const isSocket = part => part.startsWith('unix:') || part.startsWith('/')
  return {
    hosts: parts.filter(part => !isSocket(part)).map(part => part === 'any' ? undefined : part.replace(/^\[(.*)\]$/, '$1')),
    sockets: parts.filter(isSocket).map(part => part.replace(/^unix:/, ''))
  }
}

/** Reads permissions; those by default where the text is none. @param {string} text */
function parseMode (text) { return parseInt(isMode(text) ? text : defaults.chttpd.socket_mode, 8) }

/** The URL of a listening server. @param {import('node:net').Server} server @param {boolean} secure */
function urlOf (server, secure) {
  const address = server.address()
  if (address === null) return ''
  if (typeof address === 'string') return `http+unix://${encodeURIComponent(address)}`
  const { address: host, family, port } = address
  return `${secure ? 'https' : 'http'}://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

module.exports = { addresses, urlOf }
