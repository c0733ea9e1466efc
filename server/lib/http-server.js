'use strict'

const http = require('node:http')
const express = require('express')
const { withStandingHeaders } = require('./standing-headers')

/**
 * A server for an express app that does not pay for `Object.setPrototypeOf` on every request.
 *
 * Express gives each request and response its own prototypes, which throws away what V8 knows
 * about them. Here the classes that the server makes them from are chained to express's once,
 * and the app is told that these are its prototypes: setting them changes nothing any more.
 *
 * @param {(app: import('express').Express) => void} mount puts what is to be served into the app
 * @returns {import('node:http').Server}
 */
function createHttpServer (mount) {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  class Request extends http.IncomingMessage {}
  const Response = withStandingHeaders(http.ServerResponse)
  chain(Request.prototype, app.request)
  chain(Response.prototype, app.response)
  app.request = /** @type {any} */ (Request.prototype)
  app.response = /** @type {any} */ (Response.prototype)
  mount(app)
  return http.createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    // A large attachment on a slow line takes longer than node's five minutes.
    requestTimeout: 0,
    // Longer than clients and proxies keep an idle connection, so that they close it, and no
    // request is sent on one that closes at that moment.
    keepAliveTimeout: 75000
  }, app)
}

/** `app.request` ends in http.IncomingMessage.prototype itself, so nothing of node's is lost. */
function chain (prototype, expressPrototype) {
  Object.setPrototypeOf(prototype, expressPrototype)
}

module.exports = { createHttpServer }
