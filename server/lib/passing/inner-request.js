'use strict'

const { InnerAnswer } = require('./inner-answer')
const { PassedRequest } = require('./passed-request')
const { PassedResponse } = require('./passed-response')

/** The user of requests that the server makes of its own accord: an administrator. @type {import('../auth/authenticator').User} */
const SELF = Object.freeze({ name: null, roles: Object.freeze(['_admin']), authenticated: 'default' })

const HERE = Object.freeze({ remoteAddress: '127.0.0.1', remotePort: 0, localAddress: '127.0.0.1', localPort: 0 })

/**
 * Asks the server something without a socket, in the form in which threads and servers pass requests on.
 *
 * @param {(req: any, res: any) => unknown} handle answers it
 * @param {object} request
 * @param {string} [request.method] GET unless it is said
 * @param {string} request.url path and query
 * @param {Record<string, any>} [request.headers] with names in lower case
 * @param {string | Buffer | AsyncIterable<Uint8Array>} [request.body] JSON, unless `headers` say something else
 * @param {AbortSignal} [request.signal] breaks it off
 * @param {Record<string, any>} request.extra other members of the request: who asks, as `user`, and why nobody else is looked for
 * @returns {Promise<InnerAnswer>} once its status is known; of a request that broke off it is 503
 */
function askInside (handle, { method = 'GET', url, headers = {}, body, signal, extra }) {
  const isKnown = typeof body === 'string' || Buffer.isBuffer(body)
  const sent = isKnown ? { 'content-type': 'application/json', ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers
  const head = { method, url, headers: { host: 'localhost', ...sent }, rawHeaders: [], httpVersionMajor: 1, httpVersionMinor: 1, connection: HERE, isKnown: true, extra }
  /** @type {any} */
  let res
  const pull = isKnown || body === undefined ? () => {} : puller(body, () => req)
  const req = /** @type {any} */ (new PassedRequest(head, pull, () => res.destroy()))
  if (isKnown) req.bodyInstead = typeof body === 'string' ? Buffer.from(body) : body
  if (isKnown || body === undefined) req.receive(null)
  const cut = () => req.abort()
  signal?.addEventListener('abort', cut)
  return new Promise(resolve => {
    const told = new InnerAnswer(resolve, cut, length => res.taken(length))
    res = new PassedResponse(req, (kind, ...rest) => told.receive(kind, rest))
    req.on('error', () => {})
    req.once('aborted', () => res.destroy())
    res.on('error', () => {})
    res.once('close', () => signal?.removeEventListener('abort', cut))
    if (signal?.aborted) cut()
    else handle(req, res)
  })
}

/** Gives a request its body as it is read. @param {AsyncIterable<Uint8Array>} body @param {() => any} req */
function puller (body, req) {
  const chunks = body[Symbol.asyncIterator]()
  return () => {
    chunks.next().then(({ value, done }) => req().receive(done ? null : Buffer.from(value)), () => req().abort())
  }
}

module.exports = { SELF, askInside }
