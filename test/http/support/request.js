'use strict'

const { server } = require('./server')

/**
 * Sends one request as the administrator.
 *
 * @param {string} method
 * @param {string} path with its query
 * @param {{ body?: any, headers?: Record<string, string>, signal?: AbortSignal }} [options] an
 *   object or array as `body` goes as JSON, text and bytes as they are
 * @returns {Promise<{ status: number, headers: Headers, bytes: Buffer, text: string, body: any }>}
 *   `body` is the JSON of the answer, if it is said to be JSON; it throws where it is none
 */
async function request (method, path, options = {}) {
  const response = await open(method, path, options)
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  return { status: response.status, headers: response.headers, bytes, text, get body () { return parse(response, text) } }
}

/** The same without reading the answer's body: `fetch`'s Response. */
function open (method, path, { body, headers, signal } = {}) {
  const asJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  return fetch(server.origin + path, {
    method,
    redirect: 'manual',
    signal,
    body: asJson ? JSON.stringify(body) : body,
    headers: {
      Authorization: server.authorization,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers
    }
  })
}

function parse (response, text) {
  if (!/^application\/json/.test(response.headers.get('content-type') ?? '')) return undefined
  return text === '' ? undefined : JSON.parse(text)
}

const get = (path, options) => request('GET', path, options)
const head = (path, options) => request('HEAD', path, options)
const put = (path, body, options) => request('PUT', path, { ...options, body })
const post = (path, body, options) => request('POST', path, { ...options, body })
const remove = (path, options) => request('DELETE', path, options)

module.exports = { request, open, get, head, put, post, remove }
