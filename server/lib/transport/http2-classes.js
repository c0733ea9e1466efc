'use strict'

const http2 = require('node:http2')

// To the types, what node's classes have as getters are fields, which no class may override.
/** @type {any} */
const NodeRequest = http2.Http2ServerRequest
/** @type {any} */
const NodeResponse = http2.Http2ServerResponse

/**
 * Classes for requests and responses of HTTP/2 that handlers need not tell from HTTP/1.1's.
 * @returns {{ Request: any, Response: any }} new ones: each app chains its own
 */
function createHttp2Classes () {
  class Request extends NodeRequest {
    /** @type {Record<string, any> | undefined} */
    #headers
    /** Without the pseudo-headers; `:authority` is the host, whatever `host` says. */
    get headers () {
      this.#headers ??= plainHeaders(super.headers)
      return this.#headers
    }
  }

  class Response extends NodeResponse {
    get destroyed () { return this.stream === undefined || this.stream.destroyed }
    get writableNeedDrain () { return this.stream !== undefined && this.stream.writableNeedDrain }
    /** HTTP/2 has no words for a status, and none of its connections' headers. */
    get statusMessage () { return '' }
    set statusMessage (_text) {}
    /** @param {string} name @param {any} value */
    setHeader (name, value) { return ofConnection.has(name.toLowerCase()) ? this : super.setHeader(name, value) }
  }
  return { Request, Response }
}

const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** @param {Record<string, any>} all */
function plainHeaders (all) {
  const headers = Object.create(null)
  for (const name in all) if (!name.startsWith(':')) headers[name] = all[name]
  if (all[':authority'] !== undefined) headers.host = all[':authority']
  return headers
}

module.exports = { createHttp2Classes }
