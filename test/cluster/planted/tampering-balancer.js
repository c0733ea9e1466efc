'use strict'

const { Balancer } = require('../subject/balancer')

/**
 * A fault that a server could have.
 *
 * @typedef {object} Planted
 * @property {string} name
 * @property {string} finds the check that has to find it
 * @property {() => Tampering} make
 *
 * @typedef {object} Tampering
 * @property {(exchange: any, balancer: TamperingBalancer) => Promise<boolean>} [answer]
 * @property {(exchange: any, body: any) => any} [change]
 * @property {(exchange: any, line: string) => string[]} [changeLine]
 */

/** A load balancer that does to requests and answers as a faulty server would. */
class TamperingBalancer extends Balancer {
  /** @type {Tampering} */
  tampering = {}

  async answer (exchange) { return await this.tampering.answer?.(exchange, this) ?? false }

  change (exchange, body) { return this.tampering.change?.(exchange, body) ?? body }

  changeLine (exchange, line) { return this.tampering.changeLine?.(exchange, line) ?? [line] }

  /** Asks the server. @returns {Promise<{ status: number, body: any }>} */
  async fetch (exchange, { method = exchange.method, path = exchange.url.pathname, body = undefined } = {}) {
    const bytes = body === undefined ? exchange.body : Buffer.from(JSON.stringify(body))
    const url = new URL(path, 'http://x')
    const { 'content-length': _, ...headers } = exchange.headers
    const answer = await this.ask({ method, url, headers: { ...headers, ...(bytes.length > 0 && { 'content-type': 'application/json', 'content-length': bytes.length }) }, body: bytes, response: undefined })
    const chunks = []
    for await (const chunk of answer) chunks.push(chunk)
    return { status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) }
  }

  /** Answers. @returns {true} */
  reply ({ response }, status, body, headers = {}) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    return true
  }
}

module.exports = { TamperingBalancer }
