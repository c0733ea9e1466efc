'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { Connection } = require('./connection')
const { processorTime } = require('../owners/processor-time')

const SERVER = path.join(__dirname, '../../../test/cluster/support/server.js')
const AUTHORIZATION = `Basic ${Buffer.from('admin:secret').toString('base64')}`

/** A rate, and µs of CPU for each. @typedef {{ rate: number, servers: number[], engine: number, node: number }} Figures */

/** Servers of one engine, which are processes of their own, and connections to them. */
class Servers {
  /** @type {Array<{ url: string, child: import('node:child_process').ChildProcess, connections: Connection[] }>} */
  #all = []
  #engine
  #clients

  /** @param {import('../../../test/support/postgres-server').PostgresServer} engine @param {number} clients connections to each server */
  constructor (engine, clients) {
    this.#engine = engine
    this.#clients = clients
  }

  get count () { return this.#all.length }

  async add () {
    const child = fork(SERVER, [this.#engine.url, '{}'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const [{ url }] = await once(child, 'message')
    const connections = Array.from({ length: this.#clients }, () => new Connection(url, AUTHORIZATION))
    this.#all.push({ url, child, connections })
  }

  /** @param {number} server @param {number} client @param {string} method @param {string} target @param {string} [body] */
  async ask (server, client, method, target, body) {
    const status = await this.#all[server].connections[client].ask(method, target, body)
    if (status >= 400) throw new Error(`${method} ${target} got ${status}`)
  }

  /** Bytes on the engine's disk. */
  get size () { return Number(this.#engine.query("SELECT pg_total_relation_size('potoroo_entries')")) }

  /**
   * Does work for some seconds.
   *
   * @param {{ seconds: number, clients: number, units?: number }} options units: what one piece of work counts for
   * @param {(client: number, i: number) => Promise<unknown>} work
   * @returns {Promise<Figures>}
   */
  async load ({ seconds, clients, units = 1 }, work) {
    const before = this.#times()
    const began = performance.now()
    const end = began + 1000 * seconds
    let count = 0
    await Promise.all(Array.from({ length: clients }, async (_, client) => {
      for (let i = 0; performance.now() < end; i++, count += units) await work(client, i)
    }))
    const rate = count / (performance.now() - began) * 1000
    const [engine, node, ...servers] = this.#times().map((time, at) => (time - before[at]) / count)
    return { rate, servers, engine, node }
  }

  /** µs of CPU of the engine, of this process, and of each server. */
  #times () {
    const { user, system } = process.cpuUsage()
    return [processorTime(this.#engine.pid), user + system, ...this.#all.map(({ child }) => processorTime(child.pid))]
  }

  async stop () {
    await Promise.all(this.#all.map(async ({ child, connections }) => {
      for (const connection of connections) await connection.close()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }))
  }
}

module.exports = { Servers }
