'use strict'

const { once } = require('node:events')
const net = require('node:net')

/**
 * A network between two that goes wrong on request.
 *
 * @typedef {object} Fault
 * @property {'refuse' | 'swallow' | 'deafen'} [mode] refuse: connections are closed as soon as they are made; swallow: they stay
 *   open, and nothing passes either way, as with a machine that is gone; deafen: requests pass, and no answers
 * @property {number} [delay] milliseconds that each piece takes, each way
 * @property {number} [bandwidth] bytes a second, each way
 */
class TcpProxy {
  #server
  #target
  /** @type {Fault} */
  #fault = {}
  /** @type {Set<Link>} */
  #links = new Set()

  /** @param {{ host?: string, port: number }} target */
  constructor (target) {
    this.#target = target
    this.#server = net.createServer({ allowHalfOpen: true }, client => this.#accept(client))
  }

  /** @param {{ host?: string, port: number }} target @param {number} [port] its own; default: a free one */
  static async start (target, port = 0) {
    const proxy = new TcpProxy(target)
    proxy.#server.listen(port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port () { return /** @type {net.AddressInfo} */ (this.#server.address()).port }

  get fault () { return this.#fault }

  /** Sends new connections elsewhere. @param {{ host?: string, port: number }} target */
  lead (target) { this.#target = target }

  /** From now on, for new connections and those that are there. @param {Fault} fault */
  set fault (fault) {
    this.#fault = fault
    for (const link of this.#links) link.look()
    if (fault.mode === 'refuse') this.cut()
  }

  /** All is well again; what was swallowed comes late, as after a cable was pulled. */
  heal () { this.fault = {} }

  /** Resets all connections; new ones are made. */
  cut () {
    for (const link of this.#links) link.reset()
  }

  async stop () {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept (client) {
    if (this.#fault.mode === 'refuse') return client.on('error', () => {}).resetAndDestroy()
    const upstream = net.connect({ host: '127.0.0.1', ...this.#target, allowHalfOpen: true })
    const link = new Link(client, upstream, () => this.#fault)
    this.#links.add(link)
    link.ended.then(() => this.#links.delete(link))
  }
}

/** One connection, as two sockets and the two ways between. */
class Link {
  #sockets
  #ways

  constructor (client, upstream, fault) {
    this.#sockets = [client, upstream]
    this.#ways = [new Way(client, upstream, fault, ['swallow']), new Way(upstream, client, fault, ['swallow', 'deafen'])]
    for (const socket of this.#sockets) socket.setNoDelay(true).on('error', () => this.reset())
    this.ended = Promise.all(this.#sockets.map(socket => new Promise(resolve => socket.once('close', resolve))))
  }

  look () {
    for (const way of this.#ways) way.look()
  }

  reset () {
    for (const socket of this.#sockets) if (!socket.destroyed) socket.resetAndDestroy()
    for (const way of this.#ways) way.end()
  }
}

/** One way of a connection: pieces in order, each when its time has come. */
class Way {
  #from
  #to
  #fault
  #closedBy
  /** @type {Array<{ piece: Buffer | null, due: number }>} null: the end */
  #queue = []
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #free = 0

  /** @param {net.Socket} from @param {net.Socket} to @param {() => Fault} fault @param {string[]} closedBy modes in which nothing passes */
  constructor (from, to, fault, closedBy) {
    this.#from = from
    this.#to = to
    this.#fault = fault
    this.#closedBy = closedBy
    from.on('data', piece => this.#take(piece))
    from.once('end', () => this.#take(null))
    to.on('drain', () => from.resume())
  }

  /** Sends what is due. */
  look () {
    clearTimeout(this.#timer)
    if (this.#closedBy.includes(this.#fault().mode)) return
    const now = performance.now()
    while (this.#queue.length > 0 && this.#queue[0].due <= now) this.#send(this.#queue.shift().piece)
    if (this.#queue.length > 0) this.#timer = setTimeout(() => this.look(), this.#queue[0].due - now)
  }

  end () {
    clearTimeout(this.#timer)
    this.#queue = []
  }

  #take (piece) {
    const { delay = 0, bandwidth = Infinity } = this.#fault()
    const start = Math.max(performance.now(), this.#free)
    this.#free = start + (piece?.length ?? 0) / bandwidth * 1000
    this.#queue.push({ piece, due: this.#free + delay })
    // As much as a network may hold; then the sender feels it.
    if (this.#queue.length > 64) this.#from.pause()
    this.look()
  }

  #send (piece) {
    if (this.#to.destroyed) return
    if (piece === null) return this.#to.end()
    if (!this.#to.write(piece)) this.#from.pause()
    else if (this.#queue.length <= 64) this.#from.resume()
  }
}

module.exports = { TcpProxy }
