'use strict'

const http = require('node:http')
const https = require('node:https')
const { Readable } = require('node:stream')

/** Bytes of headers that an answer may have. */
const HEADERS = 64 * 1024

/**
 * One request and the head of its answer; the body is read from the answer itself.
 *
 * @param {URL} url
 * @param {object} options
 * @param {string} options.method
 * @param {Record<string, string | number>} options.headers
 * @param {Buffer | string | AsyncIterable<Uint8Array>} [options.body]
 * @param {http.Agent} options.agent
 * @param {string} options.path what is asked for: a whole URL, of a proxy
 * @param {URL} [options.through] the proxy, which is connected to instead
 * @param {number} options.timeout milliseconds without a byte
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<http.IncomingMessage>}
 */
function exchange (url, { method, headers, body, agent, path, through, timeout, signal }) {
  const { hostname, port, protocol } = through ?? url
  const { request } = protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const req = request({
      agent,
      method,
      headers,
      signal,
      timeout,
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port,
      path,
      maxHeaderSize: HEADERS
    })
    req.on('timeout', () => req.destroy(Object.assign(new Error('req_timedout'), { code: 'ETIMEDOUT' })))
    req.on('error', reject)
    req.on('response', resolve)
    send(req, body, reject)
  })
}

function send (req, body, reject) {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return req.end(body)
  const stream = Readable.from(body, { objectMode: false })
  stream.on('error', error => {
    req.destroy()
    reject(error)
  })
  // It may be refused before it was sent.
  req.on('close', () => stream.destroy())
  stream.pipe(req)
}

/** The body is longer than whoever asked takes. */
class TooLong extends Error {
  constructor (limit) {
    super(`The answer is longer than ${limit} bytes`)
  }
}

/**
 * The whole body, of at most `limit` bytes.
 *
 * @param {http.IncomingMessage} response
 * @param {number} limit
 * @returns {Promise<Buffer>}
 * @throws {TooLong}
 */
async function readWhole (response, limit) {
  const chunks = []
  let length = 0
  // Ending the loop early destroys the response, and its connection with it.
  for await (const chunk of response) {
    length += chunk.length
    if (length > limit) throw new TooLong(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)
}

module.exports = { exchange, readWhole, TooLong }
