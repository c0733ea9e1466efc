'use strict'

const { once } = require('node:events')
const http = require('node:http')

const AUTHORIZATION = `Basic ${Buffer.from('admin:secret').toString('base64')}`

/**
 * JSON to and from one address, as the administrator. A request has a limit of time: behind it, the outcome is not known.
 *
 * @typedef {{ status: number, headers: http.IncomingHttpHeaders, body: any }} Answer
 */
class Connection {
  #origin
  #agent
  #patience

  /** @param {URL} origin @param {{ patience?: number, sockets?: number }} [options] milliseconds for each request; sockets at most */
  constructor (origin, { patience = 60_000, sockets = 4 } = {}) {
    this.#origin = origin
    this.#patience = patience
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: sockets })
  }

  /** @returns {Promise<Answer>} @throws where there is no whole answer in time */
  async ask (method, path, body, { patience = this.#patience } = {}) {
    const request = this.#request(method, path, body, AbortSignal.timeout(patience))
    const [response] = await once(request, 'response')
    const text = await textOf(response)
    return { status: response.statusCode, headers: response.headers, body: parsed(text) }
  }

  /** The body of an answer that has to be a good one. */
  async done (method, path, body, options) {
    const answer = await this.ask(method, path, body, options)
    if (answer.status >= 300) throw new Error(`${method} ${this.#origin.origin}${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** An answer that is read as it comes. @param {AbortSignal} signal @returns {Promise<http.IncomingMessage>} */
  async stream (path, signal) {
    const [response] = await once(this.#request('GET', path, undefined, signal), 'response')
    return response
  }

  close () { this.#agent.destroy() }

  #request (method, path, body, signal) {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const request = http.request({
      agent: this.#agent,
      host: this.#origin.hostname,
      port: this.#origin.port,
      method,
      path,
      signal,
      headers: { authorization: AUTHORIZATION, ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }) }
    })
    return request.end(bytes)
  }
}

async function textOf (response) {
  const chunks = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function parsed (text) {
  try {
    return JSON.parse(text)
  } catch {
    return { unparsable: text.slice(0, 300) }
  }
}

module.exports = { Connection }
