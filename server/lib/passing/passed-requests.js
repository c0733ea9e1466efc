'use strict'

const { PassedRequest } = require('./passed-request')
const { PassedResponse } = require('./passed-response')

/** The requests that came over one channel, as the side that answers them has them. */
class PassedRequests {
  #channel
  #handle
  /** @type {Map<number, { req: PassedRequest, res: PassedResponse }>} */
  #passed = new Map()

  /**
   * @param {{ send: (message: any[]) => void }} channel
   * @param {(req: any, res: any) => void} handle answers a request
   */
  constructor (channel, handle) {
    this.#channel = channel
    this.#handle = handle
  }

  /** A message of the passer's about one request. @param {any[]} message */
  receive ([kind, id, ...rest]) {
    if (kind === 'request') return this.#answer(id, rest[0], rest[1])
    const passed = this.#passed.get(id)
    if (passed === undefined) return
    if (kind === 'body') passed.req.receive(rest[0] === null ? null : Buffer.from(rest[0].buffer, rest[0].byteOffset, rest[0].byteLength))
    else if (kind === 'taken') passed.res.taken(rest[0])
    else if (kind === 'gone') leave(passed)
  }

  /** @param {number} id @param {string} head @param {string | null} [body] a character a byte; undefined: it comes when it is asked for */
  #answer (id, head, body) {
    const req = new PassedRequest(JSON.parse(head), () => this.#channel.send(['pull', id]), () => this.#channel.send(['destroy', id]))
    const res = new PassedResponse(req, (kind, ...rest) => this.#channel.send([kind, id, ...rest]))
    this.#passed.set(id, { req, res })
    res.once('close', () => this.#passed.delete(id))
    if (body !== undefined) {
      if (body !== null) req.receive(Buffer.from(body, 'latin1'))
      req.receive(null)
    }
    this.#handle(req, res)
  }

  /** Breaks all off: the passer is gone. */
  abandon () {
    for (const passed of [...this.#passed.values()]) leave(passed)
  }
}

/** The client has gone. @param {{ req: PassedRequest, res: PassedResponse }} passed */
function leave ({ req, res }) {
  req.abort()
  res.destroy()
}

module.exports = { PassedRequests }
