'use strict'

const { once } = require('node:events')
const http = require('node:http')

/**
 * A load balancer of the simplest kind: each request goes to the next server, and to the one after it if that one refuses the
 * connection. An answer that breaks off breaks off for the client, too.
 */
class Balancer {
  #server
  #targets
  #next = 0
  #agent = new http.Agent({ keepAlive: true })

  /** @param {URL[]} targets */
  constructor (targets) {
    this.#targets = targets
    this.#server = http.createServer((request, response) => this.#handle(request, response))
    this.#server.keepAliveTimeout = 60_000
  }

  /** @param {URL[]} targets */
  static async start (targets) {
    const balancer = new this(targets)
    await balancer.#listen()
    return balancer
  }

  get url () { return new URL(`http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}`) }

  async #listen () {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async stop () {
    this.#server.closeAllConnections()
    this.#server.close()
    this.#agent.destroy()
    await once(this.#server, 'close')
  }

  /** For those who tamper: may answer by itself and return true. @returns {Promise<boolean>} */
  async answer (_exchange) { return false }

  /** For those who tamper with an answer that is no feed. @returns {any} its body */
  change (_exchange, body) { return body }

  /** For those who tamper with a line of a feed. @returns {string[]} what takes its place */
  changeLine (_exchange, line) { return [line] }

  async #handle (request, response) {
    const chunks = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const exchange = { method: request.method, url: new URL(request.url, 'http://x'), headers: request.headers, body: Buffer.concat(chunks), response }
    if (await this.answer(exchange)) return
    for (let i = 0; i < this.#targets.length; i++) {
      const target = this.#targets[this.#next++ % this.#targets.length]
      try {
        const answer = await this.ask(exchange, target)
        return await this.#passOn(exchange, answer)
      } catch (error) {
        if (error.code !== 'ECONNREFUSED') return response.destroy()
      }
    }
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end('{"error":"service_unavailable","reason":"no server"}')
  }

  /** @returns {Promise<http.IncomingMessage>} */
  async ask ({ method, url, headers, body, response }, target = this.#targets[0]) {
    const request = http.request({ agent: this.#agent, host: target.hostname, port: target.port, method, path: url.pathname + url.search, headers })
    const hungUp = () => request.destroy()
    response?.once('close', hungUp)
    request.once('close', () => response?.off('close', hungUp))
    request.end(body)
    const [answer] = await once(request, 'response')
    return answer
  }

  async #passOn (exchange, answer) {
    const { response } = exchange
    answer.on('error', () => response.destroy())
    const { 'content-length': _, ...headers } = answer.headers
    response.writeHead(answer.statusCode, headers)
    if (exchange.url.searchParams.get('feed') === 'continuous') return this.#passLines(exchange, answer)
    const chunks = []
    for await (const chunk of answer) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (!/json/.test(String(answer.headers['content-type'])) || bytes.length === 0) return response.end(bytes)
    response.end(JSON.stringify(this.change({ ...exchange, status: answer.statusCode }, JSON.parse(bytes.toString()))))
  }

  async #passLines (exchange, answer) {
    const { response } = exchange
    response.flushHeaders()
    let rest = ''
    answer.setEncoding('utf8')
    for await (const text of answer) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) for (const changed of line === '' ? [''] : this.changeLine(exchange, line)) response.write(`${changed}\n`)
    }
    response.end()
  }
}

module.exports = { Balancer }
