'use strict'

const http = require('node:http')
const { withStandingHeaders } = require('../http/standing-headers')
const { chain } = require('./express-classes')

/**
 * Gives the server of somebody else's express app, in which we are mounted, classes whose requests
 * and responses are already what express makes of them: see express-classes.js. Requests after
 * this are served that way. Nothing is done where anything is not as plain express has it: another
 * framework, classes of the application's own, an app within an app.
 *
 * @param {any} req the first request of a server
 * @returns {boolean} whether it was done
 */
function adaptHost (req) {
  const { app } = req
  const server = req.socket?.server
  if (!isPlainExpress(app, req) || !(server instanceof http.Server)) return false
  const [requestKey, responseKey] = [http.IncomingMessage, http.ServerResponse].map(Class => keyOf(server, Class))
  if (requestKey === undefined || responseKey === undefined) return false
  class IncomingMessage extends http.IncomingMessage {}
  const ServerResponse = withStandingHeaders(http.ServerResponse)
  app.request = chain(IncomingMessage, app.request)
  app.response = chain(ServerResponse, app.response)
  const classes = /** @type {any} */ (server)
  classes[requestKey] = IncomingMessage
  classes[responseKey] = ServerResponse
  return true
}

/** An app at the root, whose prototypes are those that this request has. @param {any} app @param {any} req */
function isPlainExpress (app, req) {
  return typeof app === 'function' && app.parent === undefined && app.request instanceof http.IncomingMessage &&
    app.response instanceof http.ServerResponse && Object.getPrototypeOf(req) === app.request
}

/**
 * The member in which node:http keeps the class that a server makes its requests, or responses, from.
 *
 * @param {any} server
 * @param {any} Class
 */
function keyOf (server, Class) {
  return Object.getOwnPropertySymbols(server).find(key => server[key] === Class)
}

module.exports = { adaptHost }
