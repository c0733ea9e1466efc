'use strict'

const http = require('node:http')
const { once } = require('node:events')

/** A receiver of OpenTelemetry's traces over HTTP, in JSON. */
class Collector {
  /** @type {any[]} */
  spans = []
  /** @type {any[]} attributes of who sent them */
  resources = []
  #server

  /** @param {{ isSilent?: boolean }} [options] isSilent: it takes requests and answers none */
  constructor ({ isSilent = false } = {}) {
    this.#server = http.createServer(async (req, res) => {
      const chunks = []
      for await (const chunk of req) chunks.push(chunk)
      if (isSilent) return
      if (req.url === '/v1/traces') this.#take(JSON.parse(Buffer.concat(chunks).toString()))
      res.setHeader('Content-Type', 'application/json')
      res.end('{}')
    })
  }

  /** @param {any} sent */
  #take ({ resourceSpans }) {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(valuesOf(resource.attributes))
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push({ ...span, attributes: valuesOf(span.attributes) })
    }
  }

  async listen () {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}`
  }

  async close () {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

/** @param {Array<{ key: string, value: any }>} attributes */
function valuesOf (attributes) { return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])) }

module.exports = { Collector }
