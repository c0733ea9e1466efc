'use strict'

const { segmentsOf } = require('../http/path')
const { forMethod, gateOf } = require('../dispatch/route-table')
const { table } = require('../dispatch/routes')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

const METHODS = new Set(['COPY', 'CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'])

/** Characters that are kept of what a client wrote: spans wait in memory. */
const LONGEST = 1024

/**
 * Returns the name and attributes of a request's span, after the semantic conventions of HTTP. The query is left out: keys in
 * it are people's data.
 *
 * @param {PotorooRequest} req
 * @returns {{ name: string, attributes: Record<string, string | number> }}
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
function describeRequest (req) {
  const path = req.url.replace(/\?.*/s, '')
  const method = METHODS.has(req.method) ? req.method : '_OTHER'
  const { route, db } = routeOf(path, req.method)
  const { socket } = req
  const agent = req.headers['user-agent']
  const attributes = {
    'http.request.method': method,
    'url.scheme': socket.encrypted ? 'https' : 'http',
    'url.path': path.slice(0, LONGEST),
    'network.protocol.version': req.httpVersionMajor === 2 ? '2' : req.httpVersion,
    ...(method === '_OTHER' && { 'http.request.method_original': req.method.slice(0, LONGEST) }),
    ...hostOf(req.headers.host ?? req.headers[':authority']),
    ...(socket.remoteAddress !== undefined && { 'network.peer.address': socket.remoteAddress, 'network.peer.port': socket.remotePort }),
    ...(agent !== undefined && { 'user_agent.original': agent.slice(0, LONGEST) }),
    ...(route !== undefined && { 'http.route': route }),
    ...(db !== undefined && { 'db.system.name': 'couchdb', 'db.namespace': db.slice(0, LONGEST) })
  }
  return { name: `${method === '_OTHER' ? 'HTTP' : method}${route === undefined ? '' : ` ${route}`}`, attributes: /** @type {Record<string, string | number>} */ (attributes) }
}

/** @param {string} path @param {string} method @returns {{ route?: string, db?: string }} */
function routeOf (path, method) {
  try {
    const found = table.find(segmentsOf(path))
    if (found === null) return {}
    const { names, path: route } = forMethod(found.methods, method) ?? gateOf(found.methods)
    const place = names.indexOf('db')
    return { route, ...(place !== -1 && { db: found.values[place] }) }
  } catch {
    // The path is none, and is refused as it deserves.
    return {}
  }
}

/** @param {string | undefined} host */
function hostOf (host) {
  const match = /^(.*?)(?::(\d{1,5}))?$/.exec(host ?? '')
  if (match === null || match[1] === '') return {}
  return { 'server.address': match[1].slice(0, LONGEST), ...(match[2] !== undefined && { 'server.port': Number(match[2]) }) }
}

/**
 * Returns the same of a request that the replicator sends.
 *
 * @param {{ method: string, url: URL, target: string }} request
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
 */
function describeAsked ({ method, url, target }) {
  const path = target.replace(/\?.*/s, '').slice(0, LONGEST)
  return {
    'http.request.method': method,
    'url.full': url.origin + path,
    'server.address': url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  }
}

module.exports = { describeAsked, describeRequest }
