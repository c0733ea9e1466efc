'use strict'

const http = require('node:http')
const https = require('node:https')
const { isIPv6 } = require('node:net')
const tls = require('node:tls')
const { GuardedHttpAgent, GuardedHttpsAgent } = require('./gate')

/** Milliseconds after which an idle connection is closed. */
const IDLE = 30000

/**
 * The connections to one peer.
 *
 * @param {string} protocol `http:` or `https:`
 * @param {{ connections: number, timeout: number, tls: object, proxy: string | null, gate: import('./gate').Gate }} options
 *   `timeout`: milliseconds that a proxy has to connect
 * @returns {http.Agent}
 */
function createAgent (protocol, { connections, timeout, tls: tlsOptions, proxy, gate }) {
  const options = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections, timeout: IDLE, scheduling: /** @type {const} */ ('lifo') }
  if (proxy !== null && protocol === 'https:') return new TunnelAgent({ ...options, ...tlsOptions }, proxy, timeout, gate)
  // Over http, the connections are those to the proxy.
  if ((proxy === null ? protocol : new URL(proxy).protocol) === 'http:') return new GuardedHttpAgent(options, gate)
  return new GuardedHttpsAgent({ ...options, ...tlsOptions }, gate)
}

/** Connections to an https peer through a proxy: it is asked with CONNECT, and sees nothing more. */
class TunnelAgent extends https.Agent {
  #proxy
  #timeout
  #options
  #gate

  constructor (options, proxy, timeout, gate) {
    super(options)
    this.#proxy = new URL(proxy)
    this.#timeout = timeout
    this.#options = options
    this.#gate = gate
  }

  /** @param {any} options @param {(error: Error | null, socket?: any) => void} done */
  createConnection (options, done) {
    this.#gate.checkBehindProxy(options.host, options.port).then(() => this.#connect(options, done), done)
    return undefined
  }

  #connect (options, done) {
    const { protocol, hostname, port } = this.#proxy
    const [{ request }, Agent] = protocol === 'https:' ? [https, GuardedHttpsAgent] : [http, GuardedHttpAgent]
    const target = `${isIPv6(options.host) ? `[${options.host}]` : options.host}:${options.port}`
    const asked = request({
      agent: new Agent({}, this.#gate),
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...proxyAuthorization(this.#proxy) },
      timeout: this.#timeout,
      rejectUnauthorized: this.#options.rejectUnauthorized
    })
    // Until there is a connection, nothing else would end the request.
    asked.on('timeout', () => asked.destroy(Object.assign(new Error('The proxy does not answer'), { code: 'ETIMEDOUT' })))
    asked.on('error', done)
    asked.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return done(null, tls.connect({ ...options, ...this.#options, socket, servername: options.servername ?? options.host }))
      socket.destroy()
      done(new Error(`The proxy answered ${statusCode}`))
    })
    asked.end()
  }
}

/** @param {URL} proxy @returns {Record<string, string>} */
function proxyAuthorization ({ username, password }) {
  if (username === '') return {}
  return { 'Proxy-Authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}` }
}

module.exports = { createAgent, proxyAuthorization }
