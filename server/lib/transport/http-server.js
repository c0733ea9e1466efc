'use strict'

const http = require('node:http')
const http2 = require('node:http2')
const { withStandingHeaders } = require('../http/standing-headers')
const { answerClientErrors } = require('./client-errors')
const { continueWhenRead } = require('./expectation')
const { createApp } = require('./express-classes')
const { createHttp2Classes } = require('./http2-classes')
const { CURRENT } = require('./current')
const { inTurns } = require('./http2-turns')
const { oneByOne } = require('./pipelined-requests')
const { webSockets } = require('../websocket/web-sockets')

/** @typedef {import('./http-settings').TransportSettings} TransportSettings */
/** @typedef {import('./connections').Connections} Connections */
/** @typedef {(req: any, res: any) => unknown} Handle answers a request */

/** @typedef {Parameters<typeof webSockets>[0]} Settled configuration, and what follows from it */

/**
 * A server of HTTP/1.1 for an express app that does not pay for `Object.setPrototypeOf` on every
 * request, see transport/express-classes.js.
 *
 * @param {Settled} service
 * @param {Handle} handle
 * @param {TransportSettings} settings
 * @param {import('./connections').Connections} connections
 * @returns {import('node:http').Server}
 */
function createHttpServer (service, handle, settings, connections) {
  const { IncomingMessage, ServerResponse, app } = http1App(handle)
  const server = http.createServer({ ...httpOptions(settings), ...settings.socket, IncomingMessage, ServerResponse })
  // A client may say that it sends nothing more, and still wait for its answer: see transport/half-closed.js.
  Object.assign(server, { httpAllowHalfOpen: true })
  upgrade(server, ServerResponse, connections, webSockets(service, handle, settings, connections.closing))
  return attach(server, connections, oneByOne(connections.guard(app)))
}

/**
 * A server of HTTP/2 over TLS, and of HTTP/1.1 for clients that speak no other.
 *
 * @param {Settled} service
 * @param {Handle} handle
 * @param {TransportSettings} settings
 * @param {import('./connections').Connections} connections
 * @param {import('node:tls').TlsOptions} tls
 * @returns {import('node:http2').Http2SecureServer}
 */
function createSecureServer (service, handle, settings, connections, tls) {
  const { Request, Response } = createHttp2Classes()
  const { IncomingMessage, ServerResponse, app } = http1App(handle)
  const modern = inTurns(connections.guard(createApp(handle, Request, Response)))
  const classic = oneByOne(connections.guard(app))
  const server = http2.createSecureServer(/** @type {any} */ ({
    ...tls,
    ...settings.socket,
    handshakeTimeout: settings.headersTimeout,
    allowHTTP1: true,
    http1Options: { ...httpOptions(settings), IncomingMessage, ServerResponse },
    Http1IncomingMessage: IncomingMessage,
    Http1ServerResponse: ServerResponse,
    Http2ServerRequest: Request,
    Http2ServerResponse: Response,
    // A browser's tab may follow a hundred databases on its one connection.
    settings: { maxConcurrentStreams: 1000, maxHeaderListSize: settings.maxHeaderSize, enableConnectProtocol: false }
  }))
  Object.assign(server, httpOptions(settings))
  upgrade(server, ServerResponse, connections, webSockets(service, handle, settings, connections.closing))
  return attach(server, connections, (/** @type {any} */ req, /** @type {any} */ res) => (req.httpVersionMajor === 2 ? modern : classic)(req, res))
}

/** Whether the parser has seen an upgrade. */
const UPGRADE = Symbol('upgrade')

/** @param {Handle} handle */
function http1App (handle) {
  class IncomingMessage extends http.IncomingMessage {
    [UPGRADE] = false

    /** Only a WebSocket leaves HTTP: a client that offers HTTP/2 without TLS (h2c), or that is wrong, is answered all the same. */
    get upgrade () { return this[UPGRADE] === true && (this.method === 'CONNECT' || (this.method === 'GET' && /^websocket$/i.test(this.headers.upgrade ?? ''))) }
    /** A request before it has no whole answer yet: two answers would share the connection, so this one stays in HTTP. */
    set upgrade (isAsked) { this[UPGRADE] = isAsked && /** @type {any} */ (this.socket)._httpMessage == null }
  }
  const ServerResponse = withStandingHeaders(http.ServerResponse)
  return { IncomingMessage, ServerResponse, app: createApp(handle, IncomingMessage, ServerResponse) }
}

/**
 * @param {any} server
 * @param {any} ServerResponse
 * @param {Connections} connections
 * @param {ReturnType<typeof webSockets>} open
 */
function upgrade (server, ServerResponse, connections, open) {
  server.on('upgrade', (/** @type {any} */ req, /** @type {any} */ socket, /** @type {Buffer} */ head) => {
    // Its parser is gone, and whatever listened with it.
    socket.on('error', () => {})
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.once('finish', () => socket.destroySoon())
    connections.guard(() => {
      socket[CURRENT] = undefined
      open(req, res, head)
    })(req, res)
  })
}

/** @param {any} server @param {Connections} connections @param {(req: any, res: any) => void} handle */
function attach (server, connections, handle) {
  server.on('request', handle)
  server.on('checkContinue', (/** @type {any} */ req, /** @type {any} */ res) => {
    continueWhenRead(req, res)
    handle(req, res)
  })
  answerClientErrors(server)
  connections.watch(server)
  return server
}

/** @param {TransportSettings} settings */
function httpOptions ({ headersTimeout, maxHeaderSize }) {
  return {
    headersTimeout,
    maxHeaderSize,
    // A large attachment on a slow line takes longer than node's five minutes; that it moves is
    // seen to in transport/connections.js.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headersTimeout, 5000),
    // Longer than clients and proxies keep an idle connection, so that they close it, and no
    // request is sent on one that closes at that moment.
    keepAliveTimeout: 75000
  }
}

module.exports = { createHttpServer, createSecureServer }
