'use strict'

const fs = require('node:fs')

/**
 * The settings of `[chttpd]` for connections.
 *
 * @typedef {object} TransportSettings
 * @property {number} headersTimeout ms in which a request's head has to be here, and a TLS handshake done
 * @property {number} stallTimeout ms that a request's body or an answer may stand still; 0: for ever
 * @property {number} maxHeaderSize bytes of a request's head
 * @property {number} maxUriLength characters
 * @property {number} maxConnections open at once
 * @property {number} surplus connections above these that are told so; others wait to be accepted
 * @property {number} backlog connections that wait to be accepted
 * @property {{ noDelay: boolean, keepAlive: boolean, keepAliveInitialDelay: number }} socket
 */

/** Connections that a server keeps open at most, as CouchDB's `{max, 65536}`. */
const MOST_CONNECTIONS = 65536

/**
 * Connections that wait to be accepted; the kernel takes its own limit (`net.core.somaxconn`) if that is less. Node's 511 are fewer than may
 * come at once: Linux then answers some by a cookie, which it may fail to know again, and resets them.
 */
const MOST_WAITING = 65535

/** Descriptors that are left for files, pools and connections of our own: a quarter, and no more than these. */
const RESERVED_DESCRIPTORS = 256

/** Connections above the limit that are told so, where there are descriptors for them. */
const MOST_SURPLUS = 64

/** Half-open connections are found by probes from the kernel, which begin after this, ms. */
const KEEP_ALIVE_DELAY = 60_000

/**
 * @param {import('../config/config').Config} config
 * @returns {TransportSettings}
 */
function readSettings (config) {
  const server = readTerms(config.get('chttpd', 'server_options'))
  const socket = readTerms(config.get('chttpd', 'socket_options'))
  const backlog = Number(server.get('backlog') ?? config.get('chttpd', 'backlog'))
  const room = descriptors()
  const surplus = Math.min(MOST_SURPLUS, Math.floor(room / 4))
  return {
    headersTimeout: config.integer('chttpd', 'headers_timeout'),
    stallTimeout: config.integer('chttpd', 'stall_timeout'),
    maxHeaderSize: config.integer('chttpd', 'max_header_size'),
    maxUriLength: config.integer('chttpd', 'max_uri_length'),
    maxConnections: Math.min(positive(server.get('max')) ?? MOST_CONNECTIONS, room - surplus),
    surplus,
    backlog: positive(backlog) ?? MOST_WAITING,
    socket: {
      noDelay: socket.get('nodelay') !== 'false',
      keepAlive: socket.get('keepalive') !== 'false',
      keepAliveInitialDelay: KEEP_ALIVE_DELAY
    }
  }
}

/**
 * Erlang's `[{backlog, 128}, {nodelay, true}]`.
 *
 * @param {string} text
 * @returns {Map<string, string>}
 */
function readTerms (text) {
  return new Map([...text.matchAll(/\{\s*(\w+)\s*,\s*(\w+)\s*\}/g)].map(([, name, value]) => [name, value]))
}

/** @param {string | number | undefined} value */
function positive (value) {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** How many descriptors connections may have, beside those that are open already; where the system does not say, enough. */
function descriptors () {
  try {
    const limit = /^Max open files +(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))
    if (limit === null) return Infinity
    const most = Number(limit[1])
    return Math.max(4, most - Math.min(RESERVED_DESCRIPTORS, most >> 2) - fs.readdirSync('/proc/self/fd').length)
  } catch { /* not Linux */ }
  return Infinity
}

module.exports = { readSettings }
