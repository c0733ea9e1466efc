'use strict'

/**
 * A server that is started again in place, as `POST /_node/_local/_restart` asks: all connections and the
 * storage are closed, and opened again, with the configuration as its file has it then.
 */
class RestartingServer {
  #start
  #hears
  /** The server that runs, or is being started. @type {Promise<import('../..').Server>} */
  #current
  #ended = false

  /**
   * @param {(again: { port?: number, onRestart: () => void }) => Promise<import('../..').Server>} start port: that of
   *   the one before
   * @param {{ onRestart: (server: import('../..').Server) => void, onError: (error: any) => void }} hears that it runs
   *   again, or why it could not start
   */
  constructor (start, hears) {
    this.#start = start
    this.#hears = hears
    this.#current = this.#next({})
  }

  /** @returns {Promise<import('../..').Server>} */
  get started () { return this.#current }

  /** @param {{ port?: number }} again */
  #next (again) { return this.#start({ ...again, onRestart: () => this.restart() }) }

  restart () {
    if (this.#ended) return
    const before = this.#current
    this.#current = before.then(async server => {
      await server.close()
      return this.#next(portOf(server.url))
    })
    this.#current.then(server => this.#hears.onRestart(server), error => { if (!this.#ended) this.#hears.onError(error) })
  }

  async reload () { (await this.#current).reload() }

  async close () {
    this.#ended = true
    await (await this.#current).close()
  }
}

/** Keeps the port, so that clients find the server there again. @param {string} url */
function portOf (url) {
  const { protocol, port } = new URL(url)
  return /^https?:$/.test(protocol) && port !== '' ? { port: Number(port) } : {}
}

module.exports = { RestartingServer }
