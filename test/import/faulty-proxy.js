'use strict'

const http = require('node:http')
const { once } = require('node:events')

/**
 * A network between a client and a server that goes wrong on request.
 *
 * @typedef {'lose' | 'cut' | 'fail' | 'absent' | undefined} Fault the request is lost; its answer is cut
 *   off in the middle; a proxy on the way answers 503; there is no such route; or nothing happens
 */
class FaultyProxy {
  #server
  #upstream
  #decide
  #number = 0
  /** How many requests met a fault. */
  faults = 0

  /**
   * @param {string} upstream URL
   * @param {(request: { number: number, method: string, url: string, body: string }) => Fault} decide
   */
  constructor (upstream, decide) {
    this.#upstream = new URL(upstream)
    this.#decide = decide
    this.#server = http.createServer((req, res) => this.#handle(req, res))
  }

  static async start (upstream, decide) {
    const proxy = new FaultyProxy(upstream, decide)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url () { return `http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}` }

  async #handle (req, res) {
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const fault = this.#decide({ number: ++this.#number, method: req.method, url: req.url, body: body.toString() })
    if (fault !== undefined) this.faults++
    if (fault === 'lose') return req.socket.destroy()
    if (fault === 'fail') return res.writeHead(503).end()
    if (fault === 'absent') return res.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found","reason":"missing"}')
    this.#forward(req, res, body, fault)
  }

  #forward (req, res, body, fault) {
    const { hostname, port } = this.#upstream
    const forward = http.request({ hostname, port, method: req.method, path: req.url, headers: req.headers }, answer => {
      if (fault === 'cut') {
        const { 'transfer-encoding': chunked, ...headers } = answer.headers
        res.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': '100000' })
        answer.resume()
        res.write('{"results', () => req.socket.destroy())
      } else {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      }
    })
    forward.end(body)
  }

  async close () {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

module.exports = { FaultyProxy }
