'use strict'

const { ServerProcess } = require('../http/server-process')
const { measure } = require('../run/measure')
const { bytesOnMedia } = require('../run/footprint')
const { processMemory } = require('../run/meters')

const DRIVER = 'http/potoroo, pmem'
const MIB = 2 ** 20

/** A server on a pool, whose costs are taken down. */
class GrownServer {
  #folder
  #seconds
  #server
  #next = 0
  /** @type {import('../http/client').Client} */
  client

  constructor (folder, seconds, server) {
    this.#folder = folder
    this.#seconds = seconds
    this.#server = server
    this.client = server.client({ connections: 10 })
  }

  /** @param {string} folder of its data @param {number} seconds of CPU time that a cost is measured for, and as long before */
  static async start (folder, seconds) { return new GrownServer(folder, seconds, await startServer(folder)) }

  get url () { return this.#server.url }

  /**
   * µs of CPU of a request, warm.
   *
   * @param {(client: import('../http/client').Client, n: number) => Promise<any>} request `n` is another number each time
   * @param {{ step?: number, ready?: (n: number) => Promise<any>, most?: number }} [options] ready: untimed, before each; then they
   *   are made one at a time
   */
  async costOf (request, { step = 250, ready, most = Infinity } = {}) {
    const first = this.#next
    const trial = {
      step: ready === undefined ? step : 1,
      most,
      ...(ready !== undefined && { ready: (_, n) => ready(first + n) }),
      run: (_, start, count) => this.client.concurrently(first + start, count, n => request(this.client, n))
    }
    const { sample } = await measure(trial, {}, this.#server, { seconds: this.#seconds, profile: false })
    this.#next += 1e6
    return sample.cpu
  }

  /** ms of CPU of one request, which is not made again. @param {() => Promise<any>} request */
  async once (request) {
    const before = await this.#server.cpu()
    await request()
    return (await this.#server.cpu() - before) / 1000
  }

  /** Bytes of memory of its own, in MiB, after garbage was collected. */
  async memory () {
    await this.#server.collect()
    return processMemory(this.#server.pid).own / MIB
  }

  /** Returns the size of the data folder, in MiB. */
  get files () { return bytesOnMedia(this.#folder) / MIB }

  /**
   * Closes it and starts it again.
   * @param {(client: import('../http/client').Client) => Promise<any>} request that it answers first
   * @returns {Promise<number>} ms of CPU until then, with that of starting Node.js
   */
  async reopen (request) {
    await this.#server.close()
    this.#server = await startServer(this.#folder)
    this.client = this.#server.client({ connections: 10 })
    await request(this.client)
    return await this.#server.cpu() / 1000
  }

  close () { return this.#server.close() }
}

function startServer (folder) { return ServerProcess.start(DRIVER, folder, { PMEM_IS_PMEM_FORCE: '1' }) }

module.exports = { GrownServer }
