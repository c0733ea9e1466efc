'use strict'

const { Agent, buildConnector, Client, Pool } = require('undici')

/** Milliseconds after which an idle connection is closed. */
const IDLE = 30000

/** Bytes of headers that an answer may have. */
const HEADERS = 64 * 1024

/**
 * The connections to peers: straight, or to an http peer's proxy.
 *
 * @param {{ connections: number, timeout: number, tls: object, gate: import('./gate').Gate }} options
 *   `connections`: to each at most; `timeout`: milliseconds without a byte
 * @returns {Agent}
 */
function createAgent ({ tls, gate, ...options }) {
  return agentOf(options, url => gate.connector(portOf(url), { timeout: options.timeout, ...tls }))
}

/**
 * Connections to https peers through a proxy: it is asked with CONNECT, and sees nothing more.
 *
 * @param {Parameters<typeof createAgent>[0] & { tls: { rejectUnauthorized?: boolean } }} options
 * @param {URL} proxy
 */
function createTunnels ({ tls, gate, ...options }, proxy) {
  const { timeout } = options
  const { rejectUnauthorized } = tls
  const connect = gate.connector(portOf(proxy), { rejectUnauthorized, timeout })
  const secure = buildConnector({ ...tls, timeout })
  return agentOf(options, url => (peer, done) => {
    gate.checkBehindProxy(peer.hostname, portOf(url))
      .then(() => openTunnel(new Client(proxy.origin, { connect, headersTimeout: timeout }), proxy, url))
      .then(socket => secure({ ...peer, httpSocket: socket }, done), error => done(error, null))
  })
}

/**
 * @param {{ connections: number, timeout: number }} options
 * @param {(origin: URL) => buildConnector.connector} connectorTo
 */
function agentOf ({ connections, timeout }, connectorTo) {
  return new Agent({
    connections,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    keepAliveTimeout: IDLE,
    keepAliveMaxTimeout: IDLE,
    maxHeaderSize: HEADERS,
    factory: (origin, options) => new Pool(origin, { ...options, connect: connectorTo(new URL(origin)) })
  })
}

/** @param {Client} client @param {URL} proxy @param {URL} url */
async function openTunnel (client, proxy, { hostname, port }) {
  try {
    const target = `${hostname}:${port || 443}`
    const { statusCode, socket } = await client.connect({ path: target, headers: { host: target, ...proxyAuthorization(proxy) } })
    if (statusCode === 200) return /** @type {import('node:net').Socket} */ (socket)
    socket.on('error', () => {}).destroy()
    throw new Error(`The proxy answered ${statusCode}`)
  } finally {
    // The socket is the tunnel's now.
    client.destroy()
  }
}

/** @param {URL} url */
function portOf ({ port, protocol }) {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** @param {URL} proxy @returns {Record<string, string>} */
function proxyAuthorization ({ username, password }) {
  if (username === '') return {}
  return { 'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}` }
}

module.exports = { createAgent, createTunnels, proxyAuthorization }
